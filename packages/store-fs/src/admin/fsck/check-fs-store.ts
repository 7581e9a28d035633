import { taskIds } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import { type Machine, openReadOnly, withOpenStore } from "../open-folder.js";
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

/** A store to be checked or repaired. */
export interface CheckFsStoreOptions extends Machine {
  readonly directory: string;
}

/** What checking a store found. */
export interface CheckedFsStore {
  readonly tasks: number;
  readonly problems: readonly FsStoreProblem[];
}

/** Something in a store's folder that is not as it should be. */
export type FsStoreProblem = Omit<Problem, "fix">;

/** What became of a problem. */
export interface Repaired<Found> {
  readonly problem: Found;
  readonly outcome: "done" | "refused" | "none";
  readonly reason?: string;
}

/** A problem, and what became of it. */
export type RepairedProblem = Repaired<FsStoreProblem>;

/** Reads all of a store and says what is wrong, as `resumable-mcp store check` does; changes nothing. */
export async function checkFsStore({ directory, ...machine }: CheckFsStoreOptions): Promise<CheckedFsStore> {
  const { tasks, problems } = await findProblems(openReadOnly(directory, machine));
  return { tasks, problems: problems.map(described) };
}

/** Puts right what checking finds, as `resumable-mcp store repair --apply` does. */
export async function repairFsStore({
  directory,
  ...machine
}: CheckFsStoreOptions): Promise<readonly RepairedProblem[]> {
  const { problems } = await findProblems(openReadOnly(directory, machine));
  const repaired = await withOpenStore(directory, (store) => repairProblems(store, problems), false, machine);
  return repaired.map(({ problem, ...repair }) => ({ problem: described(problem), ...repair }));
}

function described({ fix: _, ...problem }: Problem): FsStoreProblem {
  return problem;
}

/** Reads all of a store, a file at a time. */
export async function findProblems(store: OpenStore): Promise<{ tasks: number; problems: readonly Problem[] }> {
  const problems: Problem[] = [...findFormatProblems(store)];
  const finished = await store.finishedTasks.read();
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
export async function repairProblems(
  store: OpenStore,
  problems: readonly Problem[],
): Promise<readonly Repaired<Problem>[]> {
  const repairs: Repaired<Problem>[] = [];
  for (const problem of problems) repairs.push(await repairOne(store, problem));
  return repairs;
}

async function repairOne(store: OpenStore, problem: Problem): Promise<Repaired<Problem>> {
  if (problem.fix === undefined) return { problem, outcome: "none" };
  try {
    await problem.fix.apply(store);
    return { problem, outcome: "done" };
  } catch (error) {
    if (!(error instanceof Error) || !(error instanceof RepairRefused || "code" in error)) throw error;
    return { problem, outcome: "refused", reason: error.message };
  }
}
