import { join } from "node:path";
import { isFinal, isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { taskFolder } from "../../disk/layout.js";
import { quarantineFile } from "../../disk/quarantine.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { holderOf, type Problem, RepairRefused, refuseIfHeld } from "./problem.js";

/** A task that was made so short a time ago may be about to be listed. */
const listingGraceMs = 60_000;

/** Tells whether a task is where its status description: marked as open, or listed as finished. */
export function findUnlisted(store: OpenStore, reading: TaskReading, listed: ReadonlySet<string>): readonly Problem[] {
  const { disk, layout } = store.context;
  const { record } = reading;
  const isMarked = disk.exists(join(layout.open, record.id));
  if (isMarked ? !isFinal(record.status) : isFinal(record.status) && listed.has(record.id)) return [];
  if (isBeingMade(store, reading) || holderOf(store, record.id) !== undefined) return [];
  if (isFinal(record.status)) return [finishedProblem(store, reading, isMarked)];
  return [unmarkedProblem(store, reading)];
}

function isBeingMade({ context }: OpenStore, { view }: TaskReading): boolean {
  return Date.now() - (context.disk.stat(view.path)?.modifiedMs ?? 0) < listingGraceMs;
}

function finishedProblem({ context }: OpenStore, { record, view }: TaskReading, isMarked: boolean): Problem {
  const taskId = record.id;
  return {
    kind: "unlisted",
    // A server that lists open tasks puts right what is marked; what no list shows is never swept either.
    severity: isMarked ? "harmless" : "damage",
    taskId,
    path: taskFolder(context.layout, taskId),
    message: isMarked ? "finished, and still marked as open" : "finished, and in no list",
    fix: {
      description: "list it as finished",
      apply: async (store) => {
        refuseIfHeld(store, taskId);
        const now = await store.reader.require(taskId);
        if (now.record.lastSeq !== record.lastSeq) return;
        store.finished.repair(record, view.header.incarnation, () => store.reader.isStill(now));
        await store.finished.idle();
      },
    },
  };
}

function unmarkedProblem({ context }: OpenStore, { record }: TaskReading): Problem {
  const path = taskFolder(context.layout, record.id);
  return {
    kind: "unlisted",
    severity: "damage",
    taskId: record.id,
    path,
    message: "unfinished, and not marked as open: no server looks at it",
    fix: { description: "mark it as open, if its call has no other task", apply: (store) => mark(store, record) },
  };
}

/** A call has one unfinished task: where there is another one, this one was never shown to a caller. */
async function mark(store: OpenStore, record: TaskRecord): Promise<void> {
  refuseIfHeld(store, record.id);
  try {
    const claim = record.key === null ? undefined : store.keys.look(record.owner, record.key).claim;
    if (claim?.taskId !== record.id) await store.keys.claimAgain(record);
    store.finished.reopen(record.id);
  } catch (error) {
    if (!isResumableError(error, "KEY_TAKEN")) throw error;
    if (record.lastSeq > 1) throw new RepairRefused(error.message);
    // Its maker died before any caller knew of it.
    const path = taskFolder(store.context.layout, record.id);
    quarantineFile(store.context, path, record.id, "made, and never shown: its call has another task");
  }
}
