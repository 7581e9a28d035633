import { join } from "node:path";
import { type Answer, type NewSignal, type Signal, type TaskRecord } from "@resumable-mcp/core";
import * as z from "zod/mini";
import { hashOf, taskFolder } from "./layout.js";
import { limitExceeded } from "./store-errors.js";
import type { StoreContext } from "./store-context.js";
import { type FolderState, type PlainSignal, plainKinds } from "./task-folder.js";
import { createWhole, readFrom, touchFile, unlinkIfExists } from "./whole-file.js";

const answerSchema = z.object({
  id: z.string(),
  order: z.number(),
  key: z.string(),
  answer: z.custom<Answer>((value) => z.looseObject({ action: z.string() }).safeParse(value).success),
});
type StoredAnswer = z.infer<typeof answerSchema>;

/** Signals of a task that no commit has consumed, oldest first. */
export function pendingSignals(
  context: StoreContext,
  taskId: string,
  folder: FolderState,
  state: { readonly consumed: Set<string>; readonly record: TaskRecord },
): readonly Signal[] {
  if (folder.signals.length === 0 && folder.answers.length === 0) {
    state.consumed.clear();
    return [];
  }
  const answers = readAnswers(context, taskId, folder);
  forgetRemoved(state.consumed, folder, answers);
  const plain = collapse(folder.signals.filter(({ id }) => !state.consumed.has(id)));
  const given = answers.filter(({ id, key }) => !state.consumed.has(id) && !isAnswered(state.record, key));
  return [...plain, ...given].sort((left, right) => left.order - right.order).map(toSignal);
}

/** A consumed signal whose file is gone cannot come back. The folder was looked at after the consuming commit. */
function forgetRemoved(consumed: Set<string>, folder: FolderState, answers: readonly StoredAnswer[]): void {
  if (consumed.size === 0) return;
  const present = new Set([...folder.signals, ...answers].map(({ id }) => id));
  for (const id of consumed) if (!present.has(id)) consumed.delete(id);
}

/** Two processes may leave the same wish at once: of pause and resume the newest counts, of the others the first. */
function collapse(signals: readonly PlainSignal[]): readonly PlainSignal[] {
  const desired = signals.findLast(isDesired);
  const kinds = new Set<string>();
  return signals.filter((signal) => {
    if (isDesired(signal)) return signal === desired;
    if (kinds.has(signal.kind)) return false;
    kinds.add(signal.kind);
    return true;
  });
}

function isDesired({ kind }: PlainSignal): boolean {
  return kind === "pause" || kind === "resume";
}

function toSignal(signal: PlainSignal | StoredAnswer): Signal {
  if ("key" in signal) return { id: signal.id, kind: "answer", key: signal.key, answer: signal.answer };
  return { id: signal.id, kind: signal.kind };
}

function readAnswers(context: StoreContext, taskId: string, folder: FolderState): readonly StoredAnswer[] {
  return folder.answers.flatMap((name) => {
    const bytes = readFrom(context.disk, join(taskFolder(context.layout, taskId), name));
    const parsed = answerSchema.safeParse(parseJson(bytes?.toString("utf8") ?? ""));
    return parsed.success ? [parsed.data] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells whether the journal holds an answer for a key. */
export function isAnswered(record: TaskRecord, key: string): boolean {
  return Object.hasOwn(record.remembered, key) && record.remembered[key]?.kind === "answer";
}

/**
 * Ids of the files that go when signals are consumed: a wish stands for equal and older ones that it hid.
 */
export function hiddenBy(consume: readonly string[], folder: FolderState): readonly string[] {
  const chosen = folder.signals.filter(({ id }) => consume.includes(id));
  const hidden = folder.signals.filter((signal) =>
    chosen.some((other) => (isDesired(other) ? isDesired(signal) && signal.order <= other.order : other.kind === signal.kind)),
  );
  return [...new Set([...consume, ...hidden.map(({ id }) => id)])];
}

/** Removes the files of consumed signals. */
export function removeSignals(context: StoreContext, taskId: string, ids: readonly string[]): void {
  const folder = taskFolder(context.layout, taskId);
  for (const id of ids) unlinkIfExists(context.disk, join(folder, signalFile(id)));
}

/** An answer's file is named by its key alone, so that there can be only one; its id is longer. */
export function signalFile(id: string): string {
  return id.startsWith("answer.") ? id.split(".").slice(0, 2).join(".") : id;
}

/**
 * Leaves a signal's file.
 *
 * @returns what to remove if it turns out that the answer came too late, or `undefined` when the place is taken.
 */
export function leaveSignal(
  context: StoreContext,
  taskId: string,
  signal: NewSignal,
  folder: FolderState,
): { readonly id: string } | undefined {
  const path = taskFolder(context.layout, taskId);
  const order = nextOrder(context, taskId, folder);
  if (signal.kind === "answer") return leaveAnswer(context, path, signal, order, folder);
  const kind = plainKinds.find((known) => known === signal.kind);
  const same = folder.signals.find((pending) => pending.kind === kind);
  if (same !== undefined && !isDesired(same)) return { id: same.id };
  const id = `signal.${order}.${kind}.${context.unique()}`;
  touchFile(context.disk, join(path, id));
  if (isDesired({ id, order, kind: signal.kind })) {
    removeSignals(context, taskId, folder.signals.filter(isDesired).map((old) => old.id));
  }
  return { id };
}

function nextOrder(context: StoreContext, taskId: string, folder: FolderState): number {
  const answers = readAnswers(context, taskId, folder).map(({ order }) => order);
  return Math.max(0, ...folder.signals.map(({ order }) => order), ...answers) + 1;
}

function leaveAnswer(
  context: StoreContext,
  path: string,
  signal: Extract<NewSignal, { kind: "answer" }>,
  order: number,
  folder: FolderState,
): { readonly id: string } | undefined {
  const { maxPendingAnswers } = context.limits;
  if (folder.answers.length >= maxPendingAnswers) {
    throw limitExceeded("maxPendingAnswers", folder.answers.length + 1, maxPendingAnswers);
  }
  const name = `answer.${hashOf(signal.key).slice(0, 32)}`;
  const stored: StoredAnswer = { id: `${name}.${context.unique()}`, order, key: signal.key, answer: signal.answer };
  const bytes = Buffer.from(`${JSON.stringify(stored)}\n`);
  return createWhole(context.disk, join(path, name), bytes, context.unique()) ? { id: stored.id } : undefined;
}
