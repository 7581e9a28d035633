import { isFinal, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import {
  finalStatuses,
  type Instant,
  readStatus,
  type StoreAdmin,
  type StoreProblem,
  type StoreRepair,
  type StoreWriting,
  storeErrors,
} from "@resumable-mcp/core/store";
import type { EncryptedAdmin } from "@resumable-mcp/store-encryption";
import { CommandError } from "../command-error.js";
import { readDuration } from "../flags.js";
import type { CommandResult } from "./command.js";

interface Refused {
  readonly taskId: string;
  readonly reason: string;
}

/** How long a command may hold a task, should it die while it does. */
const adminTtlMs = 15_000;
const pageSize = 1000;

/** Says how many tasks finished longer ago than an age, and deletes them with `apply`. Never an unfinished one. */
export async function cleanCommand(admin: StoreAdmin, age: string | undefined, apply: boolean): Promise<CommandResult> {
  const { place } = admin;
  const ageMs = readDuration("older-than", age, { minMs: 0 });
  if (ageMs === undefined) throw new CommandError("Say how long ago the tasks finished: --older-than 7d.", 2);
  const beforeMs = Date.now() - ageMs;
  const taskIds = await finishedBefore(admin, beforeMs);
  if (!apply) {
    const text = `${taskIds.length} tasks finished more than ${age} ago. Nothing was changed. Add --apply to delete them.`;
    return { json: { store: place, olderThan: age, applied: false, tasks: taskIds }, lines: [text], ok: true };
  }
  const refused = await admin.write((writing) => deleteAll(writing, taskIds));
  const kept = new Set(refused.map(({ taskId }) => taskId));
  const deleted = taskIds.filter((id) => !kept.has(id));
  const refusals = refused.map(({ taskId, reason }) => `refused  ${taskId}  ${reason}`);
  const lines = [`${deleted.length} tasks deleted that finished more than ${age} ago`, ...refusals];
  const json = { store: place, olderThan: age, applied: true, tasks: deleted, refused };
  return { json, lines, ok: refused.length === 0 };
}

async function finishedBefore({ reading }: StoreAdmin, beforeMs: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await reading.listTasks({ statuses: finalStatuses, limit: pageSize, cursor });
    for (const { id, finishedAt } of page.tasks) if (Date.parse(finishedAt ?? "") < beforeMs) found.push(id);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

/** A task that cannot be deleted hinders no other. */
async function deleteAll(writing: StoreWriting, taskIds: readonly string[]): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const taskId of taskIds) {
    const reason = await deleteOne(writing, taskId);
    if (reason !== undefined) refused.push({ taskId, reason });
  }
  return refused;
}

/** @returns why it was not deleted. */
async function deleteOne(writing: StoreWriting, taskId: string): Promise<string | undefined> {
  try {
    const taken = await writing.acquireLease({ taskId, worker: "clean", ttlMs: adminTtlMs, now: present() });
    if (taken === undefined) return "another process is writing it";
    if (isFinal(taken.snapshot.record.status)) return await writing.deleteTask(taken.lease).then(() => undefined);
    await writing.releaseLease(taken.lease);
    return "it began again";
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return error.message;
  }
}

function present(): Instant {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

/** What the command line can request of a task. */
export type RequestKind = "pause" | "resume" | "cancel";

/** Leaves a request for the process that runs a task, or will: the task itself is not touched. */
export async function signalCommand(
  writing: StoreWriting,
  taskId: string,
  request: RequestKind,
): Promise<CommandResult> {
  const snapshotOf = async () => {
    const snapshot = await writing.getTask(taskId);
    if (snapshot === undefined) throw storeErrors.taskNotFound(taskId);
    return snapshot;
  };
  const { record } = await snapshotOf();
  if (isFinal(record.status)) throw isOver(record, request);
  await writing.signal(taskId, { kind: request });
  const snapshot = await snapshotOf();
  const json = { taskId, signal: request, status: readStatus(snapshot), leased: snapshot.leased };
  const when = snapshot.leased
    ? "The process that runs the task applies it at the next checkpoint"
    : "The next process that runs the task applies it";
  return { json, lines: [`The request ${request} of task ${taskId} is stored. ${when}.`], ok: true };
}

function isOver({ id, status }: TaskRecord, request: RequestKind): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${id} is ${status}: there is nothing left to ${request}. Look at it with show.`,
    { details: { taskId: id, status, wanted: request } },
  );
}

/** Says what a repair would do, and does it with `apply`. What cannot be read is kept, always. */
export async function repairCommand(admin: StoreAdmin, apply: boolean): Promise<CommandResult> {
  if (admin.repair === undefined) {
    throw new CommandError(
      "repair is for a folder. Restore a damaged database from a backup, or delete the damaged tasks.",
      2,
    );
  }
  const repairs = await admin.repair(apply);
  const json = {
    store: admin.place,
    applied: apply,
    repairs: repairs.map(({ problem, ...repair }) => ({ ...problem, ...repair })),
  };
  const last = apply ? [] : ["Nothing was changed. Add --apply to do it."];
  const lines = [...repairs.map(formatRepair), ...(repairs.length === 0 ? ["nothing to repair"] : last)];
  const isLeft = ({ problem, outcome }: StoreRepair) =>
    outcome === "refused" || (outcome === "would" && isDamage(problem));
  return { json, lines, ok: !repairs.some(isLeft) };
}

function formatRepair({ problem, outcome, reason }: StoreRepair): string {
  const proposal = problem.fix === undefined ? "" : `  ${outcome}: ${problem.fix}`;
  return `${formatProblem(problem)}${proposal}${reason === undefined ? "" : ` (${reason})`}`;
}

/** Reads all of a store and says what is wrong; changes nothing. */
export async function checkCommand(admin: StoreAdmin): Promise<CommandResult> {
  const { tasks, problems } = await admin.check();
  const lines = [`${tasks} tasks read, ${problems.length} problems`, ...problems.map(formatProblem)];
  return { json: { store: admin.place, tasks, problems }, lines, ok: !problems.some(isDamage) };
}

/** Seals the keys of an encrypted store under the present key of its keyring. */
export async function resealCommand(
  admin: StoreAdmin & Partial<Pick<EncryptedAdmin, "reseal">>,
): Promise<CommandResult> {
  if (admin.reseal === undefined) throw new CommandError("reseal needs --keyring FILE.", 2);
  const { resealed, present } = await admin.reseal();
  const text = `${resealed} keys of the store were sealed again, ${present} were sealed under the present key. The keyring needs no other key.`;
  return { json: { store: admin.place, resealed, present }, lines: [text], ok: true };
}

/** Brings the layout of a store to that of this version. */
export async function migrateCommand(admin: StoreAdmin): Promise<CommandResult> {
  const { from, to } = await admin.migrate();
  const what =
    from === to
      ? `has layout ${to} already`
      : from === null
        ? `was made with layout ${to}`
        : `has layout ${to} now, ${from} before`;
  return { json: { store: admin.place, from, to }, lines: [`The store ${what}.`], ok: true };
}

/** Tells whether something was lost, or may be. */
function isDamage({ severity }: StoreProblem): boolean {
  return severity === "damage";
}

/** A problem for people, in a line. */
function formatProblem({ severity, kind, taskId, path, message }: StoreProblem): string {
  return [severity, kind, taskId, path, message].filter((part) => part !== undefined).join("  ");
}
