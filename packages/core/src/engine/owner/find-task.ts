import { canonicalJson } from "../../json.js";
import { fixedLimits } from "../../limits.js";
import { finalStatuses, type TaskSnapshot, unfinishedStatuses } from "../../task/task-record.js";
import type { StartRequest } from "../engine.js";
import { readIfPresent } from "../scheduling/read-tasks.js";
import { keyedCall } from "./keyed-call.js";
import type { EngineParts } from "./start-task.js";

/**
 * Finds the task of a call: the newest unfinished one, else the newest one. A call that must not join another task has a key of its
 * own or none, and is found by its input.
 *
 * Limits: reads `maxFoundTasks` tasks that are unfinished, and as many others. While the task is unfinished, which is when it is looked for
 * again and again, what it costs does not grow with what has finished.
 */
export async function findTask(
  parts: EngineParts,
  owner: string,
  call: Pick<StartRequest, "tool" | "input">,
): Promise<TaskSnapshot | undefined> {
  // Whatever else a caller says of the call, as that it wants another run.
  const { tool, input, key } = await keyedCall(parts, { tool: call.tool, input: call.input });
  const same = canonicalJson(input);
  const isOfCall = ({ record }: TaskSnapshot): boolean =>
    record.owner === owner && ((key !== null && record.key === key) || canonicalJson(record.input) === same);
  for (const statuses of [unfinishedStatuses, finalStatuses]) {
    const query = { owner, tool: tool.name, statuses, limit: fixedLimits.maxFoundTasks };
    for (const { id } of (await parts.store.listTasks(query)).tasks) {
      const snapshot = await readIfPresent(parts.store, id);
      if (snapshot !== undefined && isOfCall(snapshot)) return snapshot;
    }
  }
  return undefined;
}
