import type { JsonObject, OwnedTasks } from "@resumable-mcp/core";
import { allOwnersUses, type ControlToolName, metaKeys, type PanelToolName } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { errorResult, type ToolResult } from "../call/tool-result.js";
import { tracedTasks } from "../call/traced-requests.js";
import { limits } from "../limits.js";
import { type OperatorScopes, operatorReach } from "../owner/operator.js";
import { tasksWithin } from "../owner/scopes.js";

/**
 * Runs a control tool for its caller's tasks, or, where the caller asks for it and is an operator, for those of all owners. What tools
 * require of a token counts for operators too.
 */
export async function forAllOwners<EraCall extends Call>(
  call: EraCall,
  tool: ControlToolName | PanelToolName,
  scopes: OperatorScopes,
  run: (call: EraCall) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (!call.meta.allOwners) return run(call);
  const use = allOwnersUses[tool];
  if (use === undefined) return forbidden(`${tool} is for your own tasks alone: leave out ${metaKeys.allOwners}.`);
  const reach = operatorReach(call.rights, call.clientId, scopes);
  if (reach === "own")
    return forbidden(
      "Only operators reach the tasks of all owners: the user of the server's own machine, or who has the scope that operatorScope names.",
    );
  if (use === "act" && reach === "read")
    return forbidden(
      "The token may read the tasks of all owners, and not change them: operatorActScope names the scope for that.",
    );
  const { engine, rights } = call;
  const tasks = tracedTasks(tasksWithin(engine, engine.forOwner(call.tasks.owner, { reaches: "all" }), rights));
  return run({ ...call, tasks, allOwners: true });
}

function forbidden(message: string): ToolResult {
  return errorResult("FORBIDDEN", message);
}

/** How many of the newest failed tasks there are of each tool. Limits: `maxCountedFailures` tasks. */
export async function failedByTool(tasks: OwnedTasks): Promise<JsonObject> {
  const page = await tasks.list({ statuses: ["failed"], limit: limits.maxCountedFailures });
  const counts = new Map<string, number>();
  for (const { tool } of page.tasks) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, left], [, right]) => right - left));
}
