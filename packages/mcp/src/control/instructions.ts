/** Explains long-running tools to a model. Source: MCP, Lifecycle, "Initialization" (`instructions`). */
export const longToolsText =
  "MCP server with resumability and checkpoints for long tasks. A long tool saves its progress as it goes: if a call is cut off, call the tool again with the same arguments and it continues where it was, instead of beginning again. When a call answers with status running, call wait_for_task with its task_id until the status is completed; do not call the tool again. pause_task, resume_task and cancel_task control a task where they are offered.";

/** The server's `instructions`: what its author says, then how to use long tools, then what else there is to say. */
export function joinInstructions(own: string | undefined, unfinished?: string): string {
  return [own, longToolsText, unfinished].filter((part) => part !== undefined).join("\n\n");
}
