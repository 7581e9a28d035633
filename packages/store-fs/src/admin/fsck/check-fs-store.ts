import { taskIds } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import {
  findClaimProblems,
  findDocumentProblems,
  findForeignFiles,
  findFormatProblems,
  findListProblems,
  findMarkerProblems,
  findQuarantined,
} from "./find-other-problems.js";
import { findTaskProblems } from "./find-task-problems.js";
import { type Problem, RepairRefused } from "./problem.js";

/** What became of a problem. */
interface Repaired {
  readonly problem: Problem;
  readonly outcome: "done" | "refused" | "none";
  readonly reason?: string;
}

/** Reads all of a store, a file at a time. */
export async function findProblems(store: OpenStore): Promise<{ tasks: number; problems: readonly Problem[] }> {
  const problems: Problem[] = [...findFormatProblems(store)];
  const finished = await store.finished.read();
  const listed = new Set(Array.from(finished.rows(undefined, new Set()), (row) => finished.at(row).id));
  let tasks = 0;
  for (const taskId of taskIds(store.context)) {
    tasks += 1;
    problems.push(...(await findTaskProblems(store, taskId, listed)));
  }
  problems.push(...findClaimProblems(store), ...findMarkerProblems(store), ...(await findListProblems(store)));
  problems.push(...findDocumentProblems(store), ...findForeignFiles(store), ...findQuarantined(store));
  return { tasks, problems };
}

/** Puts right what a program can. One repair that fails hinders no other. */
export async function repairProblems(store: OpenStore, problems: readonly Problem[]): Promise<readonly Repaired[]> {
  const repairs: Repaired[] = [];
  for (const problem of problems) repairs.push(await repairOne(store, problem));
  return repairs;
}

async function repairOne(store: OpenStore, problem: Problem): Promise<Repaired> {
  if (problem.fix === undefined) return { problem, outcome: "none" };
  try {
    await problem.fix.apply(store);
    return { problem, outcome: "done" };
  } catch (error) {
    if (!(error instanceof Error) || !(error instanceof RepairRefused || "code" in error)) throw error;
    return { problem, outcome: "refused", reason: error.message };
  }
}
