import type { OpenStore } from "../../open-store.js";
import { type Problem, RepairRefused } from "./problem.js";

/** What became of a problem. */
export interface Repair {
  readonly problem: Problem;
  readonly outcome: "would" | "done" | "refused" | "none";
  readonly reason?: string;
}

/** Puts right what a program can. One repair that fails hinders no other. */
export async function repairProblems(store: OpenStore, problems: readonly Problem[]): Promise<readonly Repair[]> {
  const repairs: Repair[] = [];
  for (const problem of problems) repairs.push(await repairOne(store, problem));
  return repairs;
}

async function repairOne(store: OpenStore, problem: Problem): Promise<Repair> {
  if (problem.remedy === undefined) return { problem, outcome: "none" };
  try {
    await problem.remedy.apply(store);
    return { problem, outcome: "done" };
  } catch (error) {
    if (!(error instanceof Error) || !(error instanceof RepairRefused || "code" in error)) throw error;
    return { problem, outcome: "refused", reason: error.message };
  }
}
