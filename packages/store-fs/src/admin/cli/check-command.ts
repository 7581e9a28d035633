import type { OpenStore } from "../../open-store.js";
import { findProblems } from "../fsck/find-problems.js";
import type { Problem } from "../fsck/problem.js";
import type { CommandResult } from "./command.js";

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
export function describeProblem({ remedy, ...problem }: Problem): object {
  return { ...problem, ...(remedy && { remedy: remedy.says }) };
}

/** A problem for people, in a line. */
export function formatProblem({ severity, kind, taskId, path, message }: Problem): string {
  return [severity, kind, taskId, path, message].filter((part) => part !== undefined).join("  ");
}
