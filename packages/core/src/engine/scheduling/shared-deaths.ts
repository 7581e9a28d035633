import { isResumableError } from "../../errors.js";
import { isJsonObject } from "../../json.js";
import { fixedLimits } from "../../limits.js";
import { type FinalStatus, onlyWaits, type TaskRecord, unfinishedStatuses } from "../../task/task-record.js";
import { instantOf } from "../clock.js";
import type { Environment } from "../environment.js";
import { readIfPresent, taskPages } from "./read-tasks.js";

/** Documents of this kind name processes that a task may have killed whose record does not say so any more. */
const kind = "death";

type Ended = Pick<TaskRecord, "status" | "error">;

/** Finished tasks that may have killed a process, and which ones of them: they came to no end by themselves. */
const endedStatuses: readonly FinalStatus[] = ["failed", "cancelled"];
const endedByOthers: ReadonlySet<string | undefined> = new Set(["CRASH_LOOP", "OUTCOME_UNKNOWN", "VERSION_MISMATCH"]);

function mayBeGuilty({ status, error }: Ended): boolean {
  return status !== "completed" && (status !== "failed" || endedByOthers.has(error?.code));
}

/** The processes that a task may have killed: also the last one, if its death was not judged yet. */
function processesOf({ live, crashedIn = [], worker, progressed, waitsFor }: TaskRecord): readonly string[] {
  const isUnjudged = live && !progressed && !onlyWaits({ waitsFor }) && worker !== undefined;
  return isUnjudged ? [...crashedIn, worker] : crashedIn;
}

/**
 * Lists, for each other task that may have caused one of a suspect's deaths, the processes in which that task died: tasks
 * that have made no progress since, and those that were found guilty or ended before they were tried again. Reads the
 * whole list of tasks: only for a suspect that is about to be judged.
 */
export async function listCompanions(
  { store }: Pick<Environment, "store">,
  suspect: TaskRecord,
): Promise<readonly (readonly string[])[]> {
  const mine = new Set(processesOf(suspect));
  const companions: (readonly string[])[] = [];
  for (const statuses of [unfinishedStatuses, endedStatuses]) {
    let pages = 0;
    for await (const page of taskPages(store, { statuses })) {
      for (const summary of page) {
        if (summary.id === suspect.id || !mayBeGuilty(summary)) continue;
        // A task that cannot be read does not run.
        const snapshot = await readIfPresent(store, summary.id);
        const processes = snapshot === undefined ? [] : processesOf(snapshot.record);
        if (processes.some((worker) => mine.has(worker))) companions.push(processes);
      }
      pages += 1;
      if (pages === fixedLimits.maxCompanionPages) break;
    }
  }
  // Last: what a record forgets meanwhile was written there before.
  for (const worker of mine) {
    const value = (await store.getDocument(kind, worker))?.value;
    if (isJsonObject(value) && value.task !== suspect.id) companions.push([worker]);
  }
  return companions;
}

/**
 * Keeps the processes that a task may have killed, before its record forgets them or is deleted: other tasks died in them
 * as well, and are judged later.
 */
export async function keepDeaths({ store, worker, clock }: Environment, record: TaskRecord): Promise<void> {
  if (!mayBeGuilty(record)) return;
  // What could not write its end in this process did not kill it.
  for (const id of processesOf(record).filter((process) => process !== worker)) {
    const document = { kind, id, owner: record.owner, value: { task: record.id } };
    try {
      await store.putDocument({ ...document, expectedVersion: 0, now: instantOf(clock) });
    } catch (error) {
      // Another task may have killed it as well.
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    }
  }
}

/** Deletes what was kept for longer than `keptDeathMs`. */
export async function forgetDeaths({ store, clock, limits }: Environment): Promise<void> {
  const idleSinceMs = clock.wallMs() - fixedLimits.keptDeathMs;
  const idle = await store.listIdleDocuments({ kind, idleSinceMs, limit: limits.sweepBatch });
  for (const { id } of idle) await store.deleteDocument(kind, id);
}
