import type { JsonObject } from "@resumable-mcp/core";
import { type ControlToolMode, metaKeys } from "@resumable-mcp/protocol";

const begun =
  "MCP server with resumability and checkpoints for long tasks. A long tool saves its progress as it goes: if a call is cut off, call the tool again with the same arguments and it continues where it was, instead of beginning again.";

/** Explains long-running tools to a model. Source: MCP, Lifecycle, "Initialization" (`instructions`). */
export const longToolsText = `${begun} When a call answers with status running, call wait_for_task with its task_id until the status is completed; do not call the tool again. list_session_tasks finds tasks again, resume_task continues one, cancel_task ends one, and answer_task passes on what the user answers.`;

/** The same where the server has no control tools. */
const callAgainText = `${begun} When a call answers with status running, call the tool again with the same arguments until it returns its result: each such call joins the same task.`;

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
