import { canonicalJson } from "../../json.js";
import { fixedLimits } from "../../limits.js";
import type { TaskSnapshot } from "../../task/task-record.js";
import type { StartRequest } from "../engine.js";
import { readIfPresent } from "../scheduling/read-tasks.js";
import { type EngineParts, keyedCall } from "./start-task.js";

/**
 * Finds the newest task of an owner that a call made or would join: a call that must not join another one has a key of its own or
 * none, and is found by its input.
 *
 * Limits: reads `maxFoundTasks` tasks.
 */
export async function findTask(
  parts: EngineParts,
  owner: string,
  call: Pick<StartRequest, "tool" | "input">,
): Promise<TaskSnapshot | undefined> {
  const { tool, input, key } = await keyedCall(parts, call);
  const same = canonicalJson(input);
  const page = await parts.store.listTasks({ owner, tool: tool.name, limit: fixedLimits.maxFoundTasks });
  for (const { id } of page.tasks) {
    const snapshot = await readIfPresent(parts.store, id);
    if (snapshot === undefined || snapshot.record.owner !== owner) continue;
    const { record } = snapshot;
    if ((key !== null && record.key === key) || canonicalJson(record.input) === same) return snapshot;
  }
  return undefined;
}
