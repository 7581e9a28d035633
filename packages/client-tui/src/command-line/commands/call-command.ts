import { ClientError, type ToolInfo } from "@resumable-mcp/client";
import type { Command, CommandContext } from "../command.js";
import { exitCodes, UsageError } from "../exit-code.js";
import { followToEnd } from "../follow-to-end.js";
import { parseToolArguments } from "../tool-arguments.js";

/** `call TOOL [key=value …]`: calls a tool, or joins the same unfinished call. */
export const callCommand: Command = async (context) => {
  const { client, line, output } = context;
  const [name, ...words] = line.words;
  if (name === undefined) throw new UsageError("call needs the name of a tool. `tools` lists them.");
  const tool = await findTool(context, name);
  const last = line.again ? client.lastArguments(name) : {};
  if (last === undefined) throw new UsageError(`${name} was never called from here, so there is nothing to repeat.`);
  const values = { ...last, ...parseToolArguments(words, line.args, tool.inputSchema) };
  const call = await client.call(name, values, { server: tool.server, resume: line.resume, detached: line.detach });
  const { taskId } = call;
  if (taskId !== undefined) announce(context, name, taskId, call.joined);
  if (line.detach && taskId !== undefined) return detached(context, taskId, call.joined);
  return followToEnd(context, {
    name,
    events: () => call.events(),
    result: () => call.result(),
    taskId,
  });

  function detached({ output: out }: CommandContext, id: string, joined: boolean): number {
    if (out.json) output.object({ task_id: id, task_name: name, server: call.server, joined });
    else out.line(id);
    return exitCodes.ok;
  }
};

function announce({ output, line }: CommandContext, name: string, taskId: string, joined: boolean): void {
  if (output.json) {
    if (!line.detach) output.object({ type: "started", task_id: taskId, task_name: name, joined });
    return;
  }
  output.note(joined ? `Continuing task ${taskId}.` : `Task ${taskId}`);
}

async function findTool({ client }: CommandContext, name: string): Promise<ToolInfo> {
  const tools = await client.tools();
  const tool = tools.find((entry) => entry.name === name);
  if (tool !== undefined) return tool;
  const names = tools.filter(({ control }) => !control).map((entry) => entry.name);
  throw new ClientError("UNKNOWN_TOOL", `There is no tool ${name}. There are: ${names.join(", ")}.`);
}
