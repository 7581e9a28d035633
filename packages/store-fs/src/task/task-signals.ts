import { join } from "node:path";
import type { TaskRecord } from "@resumable-mcp/core";
import { oppositeKind } from "@resumable-mcp/core/internal";
import { type Answer, type NewSignal, type Signal, storeErrors } from "@resumable-mcp/core/store";
import { z } from "zod";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hashText, taskFolder } from "../disk/layout.js";
import { quarantineFile } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { createWhole, readFrom, touchFile, unlinkIfExists } from "../disk/whole-file.js";
import { disturb, type FolderState, type PlainSignal, signalFile, signalName } from "../journal/task-folder.js";
import type { FoldedJournal, SignalState } from "../journal/task-view.js";
import type { TaskReading } from "./held-task.js";
import type { Notifications } from "./notifications.js";

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
  state: SignalState,
): readonly Signal[] {
  if (folder.signals.length === 0 && folder.answers.length === 0) {
    if (state.consumed.size > 0) state.consumed.clear();
    return [];
  }
  const answers = readAnswers(context, taskId, folder);
  forgetRemoved(state.consumed, folder, answers);
  const plain = collapse(folder.signals.filter(({ id }) => !state.consumed.has(id)));
  const given = answers.filter(({ id }) => !state.consumed.has(id) && !state.answered.has(signalFile(id)));
  return [...plain, ...given].sort((left, right) => left.order - right.order).map(toSignal);
}

/** A consumed signal whose file was removed cannot come back. The folder was looked at after the consuming commit. */
function forgetRemoved(consumed: Set<string>, folder: FolderState, answers: readonly StoredAnswer[]): void {
  if (consumed.size === 0) return;
  const present = new Set([...folder.signals, ...answers].map(({ id }) => id));
  for (const id of consumed) if (!present.has(id)) consumed.delete(id);
}

/** Two processes may leave the same signal at once: of two sides of a value the newest counts, else the first. */
function collapse(signals: readonly PlainSignal[]): readonly PlainSignal[] {
  return signals.filter((signal) => {
    const same = signals.filter((other) => isSameValue(signal, other));
    return signal === (hasSides(signal) ? same.at(-1) : same[0]);
  });
}

function isSameValue({ kind }: PlainSignal, other: PlainSignal): boolean {
  return other.kind === kind || other.kind === oppositeKind(kind);
}

function hasSides({ kind }: PlainSignal): boolean {
  return oppositeKind(kind) !== undefined;
}

function toSignal({ order: _, ...signal }: PlainSignal | StoredAnswer): Signal {
  return "key" in signal ? { ...signal, kind: "answer" } : signal;
}

function readAnswers(context: StoreContext, taskId: string, folder: FolderState): readonly StoredAnswer[] {
  return folder.answers.flatMap((name) => {
    const path = join(taskFolder(context.layout, taskId), name);
    const bytes = readFrom(context.disk, path);
    if (bytes === undefined) return [];
    const answer = parseAnswer(bytes);
    // It makes room for another: its question would wait without end otherwise.
    if (answer === undefined) quarantineFile(context, path, `${taskId}.${name}`, "an answer is damaged");
    return answer ?? [];
  });
}

/** Parses what an answer's file says; `undefined` when it cannot be understood. */
export function parseAnswer(bytes: Buffer): StoredAnswer | undefined {
  return answerSchema.safeParse(decodeWhole(bytes)).data;
}

/** Tells whether the journal holds an answer for a key. */
export function isAnswered({ record, answered }: SignalState, key: string): boolean {
  if (answered.has(answerName(record, key))) return true;
  return Object.hasOwn(record.remembered, key) && record.remembered[key]?.kind === "answer";
}

/** One place for each key, until a restart from nothing. */
function answerName(record: TaskRecord, key: string): string {
  return `answer.${record.itemsFromSeq}.${hashText(key).slice(0, 32)}`;
}

/**
 * Ids of the files that go when signals are consumed: a request includes equal and older ones that it hid.
 */
export function hiddenBy(consume: readonly string[], folder: FolderState): readonly string[] {
  const chosen = folder.signals.filter(({ id }) => consume.includes(id));
  const hidden = folder.signals.filter((signal) =>
    chosen.some((other) => isSameValue(other, signal) && (!hasSides(other) || signal.order <= other.order)),
  );
  return [...new Set([...consume, ...hidden.map(({ id }) => id)])];
}

/** Removes the files of consumed signals. */
export function removeSignals(context: StoreContext, taskId: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const folder = taskFolder(context.layout, taskId);
  for (const id of ids) unlinkIfExists(context.disk, join(folder, signalFile(id)));
}

/** A signal that was left: its own id, and those that it replaces, to be removed when it is durable. */
interface LeftSignal {
  readonly id: string;
  readonly replaced: readonly string[];
}

/** Leaves a signal's file. @returns `undefined` when the place is taken. */
function leaveSignal(
  context: StoreContext,
  record: TaskRecord,
  signal: NewSignal,
  folder: FolderState,
): LeftSignal | undefined {
  const path = taskFolder(context.layout, record.id);
  const pending = [...folder.signals, ...readAnswers(context, record.id, folder)];
  const order = Math.max(0, ...pending.map((one) => one.order)) + 1;
  if (signal.kind === "answer") {
    const { length } = folder.answers;
    const { maxPendingAnswers } = context.limits;
    if (length >= maxPendingAnswers)
      throw storeErrors.storeLimitExceeded("maxPendingAnswers", length + 1, maxPendingAnswers);
    const { name, id, bytes } = answerFile(record, signal, order, context.unique());
    return createWhole(context.disk, join(path, name), bytes, context.unique()) ? { id, replaced: [] } : undefined;
  }
  const left = { id: signalName(order, signal, context.unique()), order, kind: signal.kind };
  const before = folder.signals.filter((other) => isSameValue(left, other));
  const [first] = before;
  if (first !== undefined && !hasSides(left)) return { id: first.id, replaced: [] };
  touchFile(context.disk, join(path, left.id));
  return { id: left.id, replaced: before.map(({ id }) => id) };
}

/** The file of an answer, and its id as a signal. */
export function answerFile(
  record: TaskRecord,
  { key, answer }: { readonly key: string; readonly answer: Answer },
  order: number,
  unique: string,
): { readonly name: string; readonly id: string; readonly bytes: Buffer } {
  const name = answerName(record, key);
  const stored: StoredAnswer = { id: `${name}.${unique}`, order, key, answer };
  return { name, id: stored.id, bytes: encodeLine(JSON.stringify(stored)) };
}

/** A view as of before the commits that consumed some signals. */
export function withoutConsumed(view: FoldedJournal, ids: ReadonlySet<string>): FoldedJournal {
  if (ids.size === 0) return view;
  const consumed = new Set([...view.consumed].filter((id) => !ids.has(id)));
  const hidden = new Set([...ids].map(signalFile));
  return { ...view, consumed, answered: new Set([...view.answered].filter((name) => !hidden.has(name))) };
}

interface Reader {
  require(taskId: string): Promise<TaskReading>;
}

interface SignalParts {
  readonly context: StoreContext;
  readonly reader: Reader;
  readonly notifications: Notifications;
}

/** Leaves a signal for the worker that runs a task, or will. */
export async function signalTask(
  { context, reader, notifications }: SignalParts,
  taskId: string,
  signal: NewSignal,
): Promise<void> {
  const { record, folder, view } = await reader.require(taskId);
  if (signal.kind === "answer") {
    const { key, itemsFromSeq = record.itemsFromSeq } = signal;
    if (itemsFromSeq !== record.itemsFromSeq) throw storeErrors.questionForgotten(taskId, key);
    if (isAnswered(view, key)) throw storeErrors.alreadyAnswered(taskId, key);
  }
  const left = leaveSignal(context, record, signal, folder);
  disturb(context, taskId);
  context.observe("store.signal.linked", taskId);
  if (signal.kind === "answer") {
    if (left === undefined) throw storeErrors.alreadyAnswered(taskId, signal.key);
    await refuseLate(reader, taskId, signal.key, left.id, () => removeSignals(context, taskId, [left.id]));
  }
  // In doubt a result was not delivered: the same call gets it once more.
  if (context.durable && signal.kind !== "delivered") {
    const path = taskFolder(context.layout, taskId);
    if (signal.kind === "answer" && left !== undefined) await context.syncs.sync(join(path, signalFile(left.id)));
    await context.disk.syncFolder(path);
  }
  // Only now: a loss of power must not take the new signal and keep the removal of the old one.
  removeSignals(context, taskId, left?.replaced ?? []);
  notifications.notify(taskId, "runnable");
}

/** An earlier answer may have been carried out and its file removed just before this one took its place. */
async function refuseLate(reader: Reader, taskId: string, key: string, id: string, undo: () => void): Promise<void> {
  const after = await reader.require(taskId);
  if (!isAnswered(after.view, key) || after.view.consumed.has(id)) return;
  undo();
  throw storeErrors.alreadyAnswered(taskId, key);
}
