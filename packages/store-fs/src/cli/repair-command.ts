import { findProblems } from "../doctor/find-problems.js";
import { type Problem, RepairRefused } from "../doctor/problem.js";
import type { OpenStore } from "../open-store.js";
import { describeProblem, formatProblem, isDamage } from "./check-command.js";
import type { CommandResult } from "./command.js";
import { withOpenStore } from "./open-folder.js";

interface Repair {
  readonly problem: Problem;
  readonly outcome: "would" | "done" | "refused" | "none";
  readonly reason?: string;
}

/** Says what a repair would do, and does it when told to `apply`. What cannot be read is kept, always. */
export async function repairCommand(store: OpenStore, apply: boolean): Promise<CommandResult> {
  const { problems } = await findProblems(store);
  const { directory } = store.context.layout;
  const repairs = apply && problems.length > 0 ? await applyAll(directory, problems) : problems.map(propose);
  const json = {
    store: directory,
    applied: apply,
    repairs: repairs.map(({ problem, ...repair }) => ({ ...describeProblem(problem), ...repair })),
  };
  const last = apply ? [] : ["Nothing was changed. Add --apply to do it."];
  const text = [...repairs.map(formatRepair), ...(problems.length === 0 ? ["nothing to repair"] : last)].join("\n");
  const isLeft = ({ problem, outcome }: Repair) => outcome === "refused" || (outcome === "would" && isDamage(problem));
  return { json, text, ok: !repairs.some(isLeft) };
}

function propose(problem: Problem): Repair {
  return { problem, outcome: problem.remedy === undefined ? "none" : "would" };
}

function applyAll(directory: string, problems: readonly Problem[]): Promise<readonly Repair[]> {
  return withOpenStore(directory, async (store) => {
    const repairs: Repair[] = [];
    for (const problem of problems) repairs.push(await applyOne(store, problem));
    return repairs;
  });
}

/** One repair that fails hinders no other. */
async function applyOne(store: OpenStore, problem: Problem): Promise<Repair> {
  if (problem.remedy === undefined) return { problem, outcome: "none" };
  try {
    await problem.remedy.apply(store);
    return { problem, outcome: "done" };
  } catch (error) {
    if (!(error instanceof Error) || !(error instanceof RepairRefused || "code" in error)) throw error;
    return { problem, outcome: "refused", reason: error.message };
  }
}

function formatRepair({ problem, outcome, reason }: Repair): string {
  const says = problem.remedy === undefined ? "" : `  ${outcome}: ${problem.remedy.says}`;
  return `${formatProblem(problem)}${says}${reason === undefined ? "" : ` (${reason})`}`;
}
