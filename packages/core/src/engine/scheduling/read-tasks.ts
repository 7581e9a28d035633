import { isResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Store, TaskQuery } from "../../store/store.js";
import {
  onlyWaits,
  type TaskRecord,
  type TaskSnapshot,
  type TaskStatus,
  type TaskSummary,
} from "../../task/task-record.js";
import { isOrphan } from "../../task/task-rules.js";

/** Lists tasks page by page, newest first. */
export async function* taskPages(
  store: Store,
  query: Omit<TaskQuery, "limit" | "cursor">,
): AsyncGenerator<readonly TaskSummary[], void, void> {
  let cursor: string | undefined;
  do {
    const page = await store.listTasks({ ...query, limit: fixedLimits.taskPage, cursor });
    yield page.tasks;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Reads a task, or resolves to `undefined` when it is damaged, or was deleted since it was listed. */
export async function readIfPresent(store: Store, taskId: string): Promise<TaskSnapshot | undefined> {
  try {
    return await store.getTask(taskId);
  } catch (error) {
    if (isResumableError(error, "TASK_CORRUPT")) return undefined;
    throw error;
  }
}

const suspected: readonly TaskStatus[] = ["pending", "running", "paused", "input_required", "failed"];

/**
 * Lists, for each other task that may have caused one of a suspect's deaths, the processes in which that task died: tasks
 * that have made no progress since, and those that were found guilty. Reads the whole list of tasks: only for a suspect
 * that is about to be judged.
 */
export async function listCompanions(store: Store, suspect: TaskRecord): Promise<readonly (readonly string[])[]> {
  const mine = new Set(processesOf({ record: suspect, signals: [], leased: false }));
  const companions: (readonly string[])[] = [];
  let pages = 0;
  for await (const page of taskPages(store, { statuses: suspected })) {
    for (const { id, status, error } of page) {
      const endedOtherwise = status === "failed" && error?.code !== "CRASH_LOOP";
      if (id === suspect.id || endedOtherwise) continue;
      // A task that cannot be read does not run.
      const snapshot = await readIfPresent(store, id);
      const processes = snapshot === undefined ? [] : processesOf(snapshot);
      if (processes.some((worker) => mine.has(worker))) companions.push(processes);
    }
    pages += 1;
    if (pages === fixedLimits.maxCompanionPages) break;
  }
  return companions;
}

/** The processes that a task may have killed: also the last one, if its death was not judged yet. */
function processesOf(snapshot: TaskSnapshot): readonly string[] {
  const { crashedIn = [], worker, progressed } = snapshot.record;
  const unjudged = isOrphan(snapshot) && !progressed && !onlyWaits(snapshot.record) && worker !== undefined;
  return unjudged ? [...crashedIn, worker] : crashedIn;
}
