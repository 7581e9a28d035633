import { isFinal, parseDuration, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { statusOf } from "@resumable-mcp/core/store";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import { signalTask } from "../../task/task-signals.js";
import { adminTtlMs, present, withOpenStore } from "../open-folder.js";
import type { CommandResult } from "./command.js";

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
  throw new ResumableError("INVALID_OPTION", `--older-than is a duration such as 7d or 12h, not "${text}".`, {
    details: { option: "older-than" },
  });
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
    if (taken === undefined) return "another process writes it just now";
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
  const when = snapshot.leased ? "the process that runs it, at its next checkpoint" : "the process that runs it next";
  return { json, text: `${request} was left for task ${taskId}, to be carried out by ${when}`, ok: true };
}

function isOver({ id, status }: TaskRecord, request: RequestKind): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${id} is ${status}: there is nothing left to ${request}. Look at it with show.`,
    { details: { taskId: id, status, wanted: request } },
  );
}
