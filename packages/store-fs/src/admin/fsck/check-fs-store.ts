import { type Machine, openReadOnly, withOpenStore } from "../cli/open-folder.js";
import { findProblems } from "./find-problems.js";
import type { Problem } from "./problem.js";
import { repairProblems } from "./repair-problems.js";

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
export type FsStoreProblem = Omit<Problem, "remedy">;

/** A problem, and what became of it. */
export interface RepairedProblem {
  readonly problem: FsStoreProblem;
  readonly outcome: "done" | "refused" | "none";
  readonly reason?: string;
}

/** Reads all of a store and says what is wrong, as `resumable-mcp-store check` does; changes nothing. */
export async function checkFsStore({ directory, ...machine }: CheckFsStoreOptions): Promise<CheckedFsStore> {
  const { tasks, problems } = await findProblems(openReadOnly(directory, machine));
  return { tasks, problems: problems.map(described) };
}

/** Puts right what checking finds, as `resumable-mcp-store repair --apply` does. */
export async function repairFsStore({
  directory,
  ...machine
}: CheckFsStoreOptions): Promise<readonly RepairedProblem[]> {
  const { problems } = await findProblems(openReadOnly(directory, machine));
  const repair = () => withOpenStore(directory, (store) => repairProblems(store, problems), false, machine);
  return (await repair()).map(({ problem, outcome, reason }) => ({
    problem: described(problem),
    outcome: outcome === "would" ? "none" : outcome,
    ...(reason !== undefined && { reason }),
  }));
}

function described({ remedy: _, ...problem }: Problem): FsStoreProblem {
  return problem;
}
