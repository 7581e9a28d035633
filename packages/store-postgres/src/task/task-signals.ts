import { randomBytes } from "node:crypto";
import { oppositeKind } from "@resumable-mcp/core/internal";
import { type NewSignal, storeErrors } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { isTaskId, toHex } from "../database/hash.js";
import { breaksConstraint } from "../database/store-errors.js";
import type { SignalRow } from "../journal/task-columns.js";
import type { Notifications } from "./notifications.js";

// A signal and its opposite are one value, of which the newest counts; any other kind is there at most once.
const signalStatement = {
  name: "signal",
  text: `UPDATE store.task SET signals = CASE
      WHEN $3::text IS NOT NULL THEN (
        SELECT coalesce(jsonb_agg(s ORDER BY n), '[]') FROM jsonb_array_elements(signals) WITH ORDINALITY x(s, n)
        WHERE s->>'k' NOT IN ($2::text, $3::text)) || $4::jsonb
      WHEN signals @> jsonb_build_array(jsonb_build_object('k', $2::text)) THEN signals
      ELSE signals || $4::jsonb END
    WHERE id = $1 RETURNING id`,
};

// The second answer breaks the primary key, and takes its signal with it.
const answerStatement = {
  name: "answer",
  text: `WITH t AS (UPDATE store.task SET signals = signals || $2::jsonb
      WHERE id = $1 AND items_from_seq = coalesce($4, items_from_seq) RETURNING id, items_from_seq)
    INSERT INTO store.answer (task, generation, question) SELECT id, items_from_seq, $3 FROM t RETURNING task`,
};

/** Leaves a signal for the worker that runs a task. */
export async function signalTask(
  { database, notifications }: { readonly database: Database; readonly notifications: Notifications },
  id: string,
  signal: NewSignal,
): Promise<void> {
  if (!isTaskId(id)) throw storeErrors.taskNotFound(id);
  const rows = await (signal.kind === "answer" ? leaveAnswer(database, id, signal) : leavePlain(database, id, signal));
  if (rows.length === 0)
    throw "itemsFromSeq" in signal ? storeErrors.questionForgotten(id, signal.key) : storeErrors.taskNotFound(id);
  notifications.notifyAtOnce(id);
}

/** The row of a signal, under an id of its own. */
export function signalRow({ kind, ...body }: NewSignal): SignalRow {
  const question = "key" in body ? { q: toHex(body.key) } : {};
  return { i: randomBytes(9).toString("base64url"), k: kind, ...question, b: JSON.stringify(body) };
}

function leavePlain(database: Database, id: string, signal: NewSignal): Promise<readonly unknown[]> {
  const { kind } = signal;
  const rows = JSON.stringify([signalRow(signal)]);
  return database.query("write", signalStatement, [id, kind, oppositeKind(kind) ?? null, rows]);
}

async function leaveAnswer(
  database: Database,
  id: string,
  signal: Extract<NewSignal, { kind: "answer" }>,
): Promise<readonly unknown[]> {
  const { itemsFromSeq, ...kept } = signal;
  const row = signalRow(kept);
  try {
    return await database.query("write", answerStatement, [id, JSON.stringify([row]), row.q, itemsFromSeq ?? null]);
  } catch (error) {
    throw breaksConstraint(error, "answer_pkey") ? storeErrors.alreadyAnswered(id, signal.key) : error;
  }
}
