import type { JsonObject } from "@resumable-mcp/core";
import { type ControlToolMode, metaKeys } from "@resumable-mcp/protocol";

const begun =
  "Long tools of this server save their progress: after a call that was cut off, the same call continues where it was.";

/** Explains long-running tools to a model. Source: MCP, Lifecycle, "Initialization" (`instructions`). */
export const longToolsText = `${begun} While a result has the status running, call wait_for_task with its task_id, and not the tool again. A result names what to do as next_tool. list_session_tasks finds earlier tasks.`;

/** The same where the server has no control tools. */
const callAgainText = `${begun} While a result has the status running, repeat the same call until it gives the result: each joins the same task.`;

/** The server's `instructions`: what its author says, then how to use long tools, then what else there is to say. */
export function joinInstructions(
  own: string | undefined,
  controlTools: ControlToolMode | undefined,
  unfinished?: string,
): string {
  const text = controlTools === "none" ? callAgainText : longToolsText;
  return [own, text, unfinished].filter((part) => part !== undefined).join("\n\n");
}

/** Tells a client that it need not name itself: its requests are those of this machine's user. Pure. */
export function tellLocal(result: JsonObject): JsonObject {
  return { ...result, _meta: { ...Object(result._meta), [metaKeys.local]: true } };
}
