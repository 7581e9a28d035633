import { ClientError, type ToolInfo } from "@resumable-mcp/client";
import { didYouMean } from "@resumable-mcp/command-line/options";
import type { QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import { plainText } from "../../display/plain-text.js";
import { titleOf } from "../../display/task-status.js";
import type { Command, CommandContext } from "../command.js";
import { UsageError } from "../exit-code.js";
import { followToEnd } from "../follow-to-end.js";
import { checkArguments, parseToolArguments } from "../tool-arguments.js";

/** `call TOOL [key=value …]`: calls a tool, or joins the same unfinished call. */
export const callCommand: Command = async (context) => {
  const { client, line, output } = context;
  const [name, ...words] = line.words;
  if (name === undefined) throw new UsageError("call needs the name of a tool. `tools` lists them.");
  const tool = await findTool(context, name);
  const last = line.again ? client.lastArguments(name) : {};
  if (last === undefined) throw new UsageError(`${name} was never called from here, so there is nothing to repeat.`);
  const values = { ...last, ...parseToolArguments(words, line.args, tool.inputSchema) };
  await checkArguments(values, tool.inputSchema, `See: resumable-mcp tools ${name}`);
  const where = { server: tool.server, resume: !line.new, detached: line.detach };
  const call = await client.call(name, values, {
    ...where,
    ask: (question, signal) => answer(context, question, signal),
  });
  const { taskId, server, joined } = call;
  const facts = { task_id: taskId, task_name: name, joined };
  if (taskId !== undefined) {
    if (!output.json && !line.quiet) output.note(joined ? `Continuing task ${taskId}.` : `Task ${taskId}`);
    if (line.detach) return output.result({ ...facts, server }, [taskId]);
    if (output.json) output.object({ type: "started", ...facts });
  }
  const named = { taskId, name: titleOf(tool) };
  return followToEnd(context, { ...named, events: () => call.events(), result: () => call.result() });
};

/** What a tool asks its caller directly: only a person at this terminal can answer, while the call lasts. */
async function answer(
  { ask, output }: CommandContext,
  question: TaskQuestion,
  signal: AbortSignal,
): Promise<QuestionAnswer> {
  output.note(`The tool asks: ${plainText(question.message)}`);
  if (ask !== undefined) return ask(question, signal);
  output.note("Nothing was answered, since this is not a terminal. Call the tool in one.");
  return { action: "cancel" };
}

/** What there is to say of servers without a tool. */
export const noTools =
  "No server lists a tool. One behind a gateway lists them once it has started: see the gateway's log.";

/** The tool of a name, or an error that names the nearest. */
export async function findTool({ client }: Pick<CommandContext, "client">, name: string): Promise<ToolInfo> {
  const silent: unknown[] = [];
  const tools = await client.tools({ onFailed: (_server, error) => silent.push(error) });
  const tool = tools.find((entry) => entry.name === name);
  if (tool !== undefined) return tool;
  // The tool may well be of the server that does not answer.
  if (silent.length > 0) throw silent[0];
  const names = tools.filter(({ control }) => !control).map((entry) => entry.name);
  const there = names.length === 0 ? noTools : `There are: ${names.join(", ")}.`;
  throw new ClientError("UNKNOWN_TOOL", `No tool is named ${name}.${didYouMean(name, names)} ${there}`);
}
