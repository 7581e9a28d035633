import type { OpenStore } from "../../open-store.js";
import { findProblems, type Repair, repairProblems } from "../fsck/check-fs-store.js";
import type { Problem } from "../fsck/problem.js";
import { withOpenStore } from "../open-folder.js";
import type { CommandResult } from "./command.js";

/** Says what a repair would do, and does it with `apply`. What cannot be read is kept, always. */
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
  return { problem, outcome: problem.fix === undefined ? "none" : "would" };
}

function formatRepair({ problem, outcome, reason }: Repair): string {
  const proposal = problem.fix === undefined ? "" : `  ${outcome}: ${problem.fix.description}`;
  return `${formatProblem(problem)}${proposal}${reason === undefined ? "" : ` (${reason})`}`;
}

/** Reads all of a store and says what is wrong; changes nothing. */
export async function checkCommand(store: OpenStore): Promise<CommandResult> {
  const { tasks, problems } = await findProblems(store);
  const json = { store: store.context.layout.directory, tasks, problems: problems.map(describeProblem) };
  const text = [`${tasks} tasks read, ${problems.length} problems`, ...problems.map(formatProblem)].join("\n");
  return { json, text, ok: !problems.some(isDamage) };
}

/** Tells whether something was lost, or may be. */
export function isDamage({ severity }: Problem): boolean {
  return severity === "damage";
}

/** A problem for scripts. */
export function describeProblem({ fix, ...problem }: Problem): object {
  return { ...problem, fix: fix?.description };
}

/** A problem for people, in a line. */
export function formatProblem({ severity, kind, taskId, path, message }: Problem): string {
  return [severity, kind, taskId, path, message].filter((part) => part !== undefined).join("  ");
}
