import { join } from "node:path";
import { isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { reduceTask } from "@resumable-mcp/core/store";
import { DamagedFile } from "../../disk/checked-line.js";
import { journalName, taskFolder } from "../../disk/layout.js";
import { quarantineTask } from "../../disk/quarantine.js";
import { journalLines } from "../../journal/journal-lines.js";
import { chainThrough } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { itemLines } from "../../task/journal-reader.js";
import { findFolderProblems } from "./find-folder-problems.js";
import { findUnlisted } from "./find-unlisted.js";
import { lostHistory } from "./lost-history.js";
import type { Problem } from "./problem.js";
import { refuseIfHeld } from "./problem.js";

/** Reads all of one task, a file at a time. `listed`: the finished tasks that lists show. */
export async function findTaskProblems(
  store: OpenStore,
  taskId: string,
  listed: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  try {
    const reading = await store.reader.read(taskId);
    if (reading === undefined) return [];
    const others = () => {
      const inFolder = findFolderProblems(store, reading);
      // What is to become of a task whose journal lost its end is decided first.
      if (inFolder.some(({ kind }) => kind === "lost_end")) return inFolder;
      return [...inFolder, ...findUnlisted(store, reading, listed)];
    };
    const damage = damageIn(store, reading);
    if (damage === undefined) return others();
    const lost = lostHistory(reading, damage);
    return lost === undefined ? [damagedTask(store, taskId, damage)] : [lost, ...others()];
  } catch (error) {
    // It finished or was deleted while this looked.
    if (isResumableError(error, "TASK_NOT_FOUND")) return [];
    return [damagedTask(store, taskId, error)];
  }
}

function damagedTask({ context }: OpenStore, taskId: string, error: unknown): Problem {
  const cause = error instanceof Error && error.cause instanceof DamagedFile ? error.cause : error;
  const path = cause instanceof DamagedFile ? cause.path : taskFolder(context.layout, taskId);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!(cause instanceof DamagedFile)) return { kind: "damaged", severity: "damage", taskId, path, message };
  const fix = {
    description: `move the task to quarantine/${taskId}`,
    apply: async (store: OpenStore) => {
      refuseIfHeld(store, taskId);
      quarantineTask(store.context, taskId, cause);
    },
  };
  return { kind: "damaged", severity: "damage", taskId, path, message, fix };
}

function damageIn(store: OpenStore, reading: TaskReading): DamagedFile | undefined {
  try {
    checkJournal(store, reading);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFile) return error;
    throw error;
  }
}

/** Reads every line of every file that counts. Where nothing was compacted they fold to the task's record. */
function checkJournal({ context }: OpenStore, { view, record }: TaskReading): void {
  const folder = taskFolder(context.layout, record.id);
  const chain = chainThrough(view);
  const isWhole = chain[0]?.base === 0;
  let folded: TaskRecord | undefined;
  for (const entry of chain) {
    for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
      if (isWhole) folded = reduceTask(folded, commit.events);
    }
  }
  for (const segment of view.header.segments) for (const _ of itemLines(context, folder, segment));
  if (isWhole && folded?.lastSeq !== record.lastSeq) {
    throw new DamagedFile(view.path, 0, `the journal folds to seq ${folded?.lastSeq}, not to ${record.lastSeq}`);
  }
}
