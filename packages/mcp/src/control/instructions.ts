import type { JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import type { ServerDefinition } from "../define-server.js";

const begun =
  "Long tools of this server save their progress: after a call that was cut off, the same call continues where it was.";

/** Explains long-running tools to a model. Source: MCP, Lifecycle, "Initialization" (`instructions`). @param prefix of the control tools. */
export function longToolsText(prefix = ""): string {
  return `${begun} While a result has the status running, call ${prefix}wait_for_task with its task_id, and not the tool again. A result names what to do as next_tool. ${prefix}list_session_tasks finds earlier tasks.`;
}

/** The same where the server has no control tools. */
const callAgainText = `${begun} While a result has the status running, repeat the same call until it gives the result: each joins the same task.`;

/** The server's `instructions`: what its author says, then how to use long tools, then what else there is to say. */
export function joinInstructions(
  { instructions, controlTools, prefix }: Pick<ServerDefinition, "instructions" | "controlTools" | "prefix">,
  unfinished?: string,
): string {
  // A server of ours behind this one says the same of its control tools.
  const own = instructions?.split("\n\n").filter((paragraph) => !paragraph.includes(begun)) ?? [];
  const text = controlTools === "none" ? callAgainText : longToolsText(prefix);
  return [...own, text, ...(unfinished === undefined ? [] : [unfinished])].join("\n\n");
}

/** Tells a client that it need not name itself: its requests are those of this machine's user. Pure. */
export function tellLocal(result: JsonObject): JsonObject {
  return { ...result, _meta: { ...Object(result._meta), [metaKeys.local]: true } };
}
