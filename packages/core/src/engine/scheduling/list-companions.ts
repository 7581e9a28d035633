import { isResumableError } from "../../errors.js";
import type { Store } from "../../store/store.js";
import { onlyWaits, type TaskRecord, type TaskStatus, type TaskSummary } from "../../task/task-record.js";
import { isOrphan } from "../../task/task-rules.js";
import type { TaskSnapshot } from "../../task/task-snapshot.js";

const suspected: readonly TaskStatus[] = ["pending", "running", "paused", "input_required", "failed"];
const pageSize = 1_000;
/** Pages that are read at most: what is older than that many tasks is taken for innocent. */
const maxPages = 10;

/**
 * Lists, for each other task that may have caused one of a suspect's deaths, the processes in which that task died: tasks
 * that have made no progress since, and those that were found guilty. Reads the whole list of tasks: only for a suspect
 * that is about to be judged.
 */
export async function listCompanions(store: Store, suspect: TaskRecord): Promise<readonly (readonly string[])[]> {
  const mine = new Set(processesOf({ record: suspect, signals: [], leased: false }));
  const companions: (readonly string[])[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const found = await store.listTasks({
      statuses: suspected,
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const summary of found.tasks) {
      if (summary.id === suspect.id || endedOtherwise(summary)) continue;
      const processes = await readProcesses(store, summary.id);
      if (processes.some((worker) => mine.has(worker))) companions.push(processes);
    }
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return companions;
}

function endedOtherwise({ status, error }: TaskSummary): boolean {
  return status === "failed" && error?.code !== "CRASH_LOOP";
}

async function readProcesses(store: Store, taskId: string): Promise<readonly string[]> {
  try {
    const snapshot = await store.getTask(taskId);
    return snapshot === undefined ? [] : processesOf(snapshot);
  } catch (error) {
    // A task that cannot be read does not run.
    if (isResumableError(error, "TASK_CORRUPT")) return [];
    throw error;
  }
}

/** The processes that a task may have killed: also the last one, if its death was not judged yet. */
function processesOf(snapshot: TaskSnapshot): readonly string[] {
  const { crashedIn = [], worker, progressed } = snapshot.record;
  const unjudged = isOrphan(snapshot) && !progressed && !onlyWaits(snapshot.record) && worker !== undefined;
  return unjudged ? [...crashedIn, worker] : crashedIn;
}
