import { isFinal, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { parseDuration } from "@resumable-mcp/core/engine";
import { statusOf } from "@resumable-mcp/core/store";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import { signalTask } from "../../task/task-signals.js";
import { findProblems, type Repaired, repairProblems } from "../fsck/check-fs-store.js";
import type { Problem } from "../fsck/problem.js";
import { adminTtlMs, present, withOpenStore } from "../open-folder.js";
import type { CommandResult } from "./command.js";
import { wrong } from "./read-commands.js";

interface Refused {
  readonly taskId: string;
  readonly reason: string;
}

/** Says how many tasks finished longer ago than an age, and deletes them with `apply`. Never an unfinished one. */
export async function cleanCommand(store: OpenStore, age: string, apply: boolean): Promise<CommandResult> {
  const { directory } = store.context.layout;
  const beforeMs = Date.now() - ageOf(age);
  const taskIds = await finishedBefore(store, beforeMs);
  if (!apply) {
    const text = `${taskIds.length} tasks finished more than ${age} ago. Nothing was changed. Add --apply to delete them.`;
    return { json: { store: directory, olderThan: age, applied: false, tasks: taskIds }, text, ok: true };
  }
  const refused = await withOpenStore(directory, (writing) => deleteAll(writing, taskIds));
  const kept = new Set(refused.map(({ taskId }) => taskId));
  const deleted = taskIds.filter((id) => !kept.has(id));
  const lines = refused.map(({ taskId, reason }) => `refused  ${taskId}  ${reason}`);
  const text = [`${deleted.length} tasks deleted that finished more than ${age} ago`, ...lines].join("\n");
  const json = { store: directory, olderThan: age, applied: true, tasks: deleted, refused };
  return { json, text, ok: refused.length === 0 };
}

function ageOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw wrong("older-than", `--older-than must be a duration such as 7d or 12h, not "${text}".`);
}

async function finishedBefore({ context, finished }: OpenStore, beforeMs: number): Promise<readonly string[]> {
  const { disk, layout } = context;
  const found: string[] = [];
  for await (const page of finished.pages(new Set(finished.openIds()))) {
    for (const { head } of page) {
      if (Date.parse(head.finishedAt ?? "") < beforeMs && disk.exists(taskFolder(layout, head.id))) found.push(head.id);
    }
  }
  return found;
}

/** A task that cannot be deleted hinders no other. */
async function deleteAll(store: OpenStore, taskIds: readonly string[]): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const taskId of taskIds) {
    const reason = await deleteOne(store, taskId);
    if (reason !== undefined) refused.push({ taskId, reason });
  }
  await store.finished.compact();
  return refused;
}

/** @returns why it was not deleted. */
async function deleteOne({ book, remover }: OpenStore, taskId: string): Promise<string | undefined> {
  try {
    const taken = await book.acquire({ taskId, worker: "clean", ttlMs: adminTtlMs, now: present() });
    if (taken === undefined) return "another process is writing it";
    if (isFinal(taken.snapshot.record.status)) return await remover.remove(taken.lease).then(() => undefined);
    await book.release(taken.lease);
    return "it began again";
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return error.message;
  }
}

/** What the command line can request of a task. */
export type RequestKind = "pause" | "resume" | "cancel";

/** Leaves a request for the process that runs a task, or will: the task itself is not touched. */
export async function signalCommand(store: OpenStore, taskId: string, request: RequestKind): Promise<CommandResult> {
  if (!isSafeId(taskId)) throw badId("id");
  const { record } = await store.reader.require(taskId);
  if (isFinal(record.status)) throw isOver(record, request);
  await signalTask(store, taskId, { kind: request });
  const snapshot = store.reader.snapshotOf(await store.reader.require(taskId));
  const json = { taskId, signal: request, status: statusOf(snapshot), leased: snapshot.leased };
  const when = snapshot.leased
    ? "The process that runs the task applies it at the next checkpoint"
    : "The next process that runs the task applies it";
  return { json, text: `The request ${request} of task ${taskId} is stored. ${when}.`, ok: true };
}

function isOver({ id, status }: TaskRecord, request: RequestKind): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${id} is ${status}: there is nothing left to ${request}. Look at it with show.`,
    { details: { taskId: id, status, wanted: request } },
  );
}

/** Says what a repair would do, and does it with `apply`. What cannot be read is kept, always. */
export async function repairCommand(store: OpenStore, apply: boolean): Promise<CommandResult> {
  const { problems } = await findProblems(store);
  const { directory } = store.context.layout;
  const repairs: readonly Repair[] =
    apply && problems.length > 0
      ? await withOpenStore(directory, (open) => repairProblems(open, problems))
      : problems.map(propose);
  const json = {
    store: directory,
    applied: apply,
    repairs: repairs.map(({ problem, ...repair }) => ({ ...describeProblem(problem), ...repair })),
  };
  const last = apply ? [] : ["Nothing was changed. Add --apply to do it."];
  const text = [...repairs.map(formatRepair), ...(problems.length === 0 ? ["nothing to repair"] : last)].join("\n");
  const isLeft = ({ problem, outcome }: Repair) => outcome === "refused" || (outcome === "would" && isDamage(problem));
  return { json, text, ok: !repairs.some(isLeft) };
}

interface Repair extends Omit<Repaired<Problem>, "outcome"> {
  readonly outcome: Repaired<Problem>["outcome"] | "would";
}

function propose(problem: Problem): Repair {
  return { problem, outcome: problem.fix === undefined ? "none" : "would" };
}

function formatRepair({ problem, outcome, reason }: Repair): string {
  const proposal = problem.fix === undefined ? "" : `  ${outcome}: ${problem.fix.description}`;
  return `${formatProblem(problem)}${proposal}${reason === undefined ? "" : ` (${reason})`}`;
}

/** Reads all of a store and says what is wrong; changes nothing. */
export async function checkCommand(store: OpenStore): Promise<CommandResult> {
  const { tasks, problems } = await findProblems(store);
  const json = { store: store.context.layout.directory, tasks, problems: problems.map(describeProblem) };
  const text = [`${tasks} tasks read, ${problems.length} problems`, ...problems.map(formatProblem)].join("\n");
  return { json, text, ok: !problems.some(isDamage) };
}

/** Tells whether something was lost, or may be. */
function isDamage({ severity }: Problem): boolean {
  return severity === "damage";
}

/** A problem for scripts. */
function describeProblem({ fix, ...problem }: Problem): object {
  return { ...problem, fix: fix?.description };
}

/** A problem for people, in a line. */
function formatProblem({ severity, kind, taskId, path, message }: Problem): string {
  return [severity, kind, taskId, path, message].filter((part) => part !== undefined).join("  ");
}
