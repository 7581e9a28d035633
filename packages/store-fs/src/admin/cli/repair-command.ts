import type { OpenStore } from "../../open-store.js";
import { findProblems } from "../fsck/find-problems.js";
import type { Problem } from "../fsck/problem.js";
import { type Repair, repairProblems } from "../fsck/repair-problems.js";
import { describeProblem, formatProblem, isDamage } from "./check-command.js";
import type { CommandResult } from "./command.js";
import { withOpenStore } from "./open-folder.js";

/** Says what a repair would do, and does it when told to `apply`. What cannot be read is kept, always. */
export async function repairCommand(store: OpenStore, apply: boolean): Promise<CommandResult> {
  const { problems } = await findProblems(store);
  const { directory } = store.context.layout;
  const repairs =
    apply && problems.length > 0
      ? await withOpenStore(directory, (open) => repairProblems(open, problems))
      : problems.map(propose);
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

function formatRepair({ problem, outcome, reason }: Repair): string {
  const says = problem.remedy === undefined ? "" : `  ${outcome}: ${problem.remedy.says}`;
  return `${formatProblem(problem)}${says}${reason === undefined ? "" : ` (${reason})`}`;
}
