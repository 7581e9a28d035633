import type { ToolInfo } from "@resumable-mcp/client";
import { cutText, plainText } from "../../display/plain-text.js";
import { countLines, sessionLines } from "../../display/summary-lines.js";
import { toolText } from "../../display/task-status.js";
import { asObject, toText } from "../../json.js";
import type { Command } from "../command.js";
import type { Output } from "../output.js";
import { exampleWords, givenProperties, kindText, requiredKeys } from "../tool-arguments.js";
import { findTool, noTools } from "./call-command.js";
import { silentServers } from "./silent-servers.js";

/** `stats`: counts the tasks by status. */
const stats: Command = async ({ client, output }) => {
  const silent = silentServers(client);
  const found = await client.stats(silent);
  const servers = found.map(({ server, counts, total }) => ({
    server,
    checkpoint_stats: counts,
    total_checkpoints: total,
  }));
  output.result({ servers, ...silent.json }, found.flatMap(countLines));
  return silent.report(output, () => "its tasks are not counted.");
};

/** `session`: who this client is, what it remembers, and what its servers say. */
const session: Command = async ({ client, output }) => {
  const said = await client.sessionInfo().catch(() => []);
  // What ended while no program of this client ran leaves the active tasks.
  await client.unfinished().catch(() => []);
  const summary = client.summary();
  const ended = (wanted: string) => summary.completedTasks.filter(({ status }) => status === wanted);
  const sessions = summary.servers.map(({ address, sessionId, clientId }) => ({
    server_url: address,
    client_id: clientId ?? null,
    session_id: said.find(({ server }) => server === address)?.sessionId ?? sessionId ?? null,
    answers: said.some(({ server }) => server === address),
  }));
  const facts = {
    client_id: summary.clientId,
    state_file: summary.stateFile,
    created_at: summary.createdAt,
    sessions,
    active_tasks: summary.activeTasks,
    completed_tasks: ended("completed"),
    failed_tasks: ended("failed"),
    cancelled_tasks: ended("cancelled"),
  };
  return output.result(facts, sessionLines(client));
};

/** `tools [NAME]`: the tools that can be called, `--all` adds those that steer tasks; with a name, its arguments. */
const tools: Command = async (context) => {
  const { client, line, output } = context;
  const [name] = line.words;
  if (name !== undefined) return showTool(output, await findTool(context, name));
  const silent = silentServers(client);
  const found = (await client.tools(silent)).filter(({ control }) => line.all || !control);
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  const room = Math.max(20, output.resultColumns - width - 2);
  const listed = found.map(({ inputSchema, control: _, ...tool }) => ({ ...tool, input_schema: inputSchema }));
  output.result(
    { tools: listed, ...silent.json },
    found.map((tool) => `${tool.name.padEnd(width)}  ${cutText(toolText(tool), room)}`.trimEnd()),
  );
  if (found.length === 0 && silent.servers.length === 0 && !line.json) output.note(noTools);
  return silent.report(output, () => "its tools are not listed.");
};

function showTool(output: Output, tool: ToolInfo): number {
  const { inputSchema, name } = tool;
  const required = requiredKeys(inputSchema);
  const fields = Object.entries(givenProperties(inputSchema)).map(([key, value]) => {
    const property = asObject(value) ?? {};
    const usual = property.default === undefined ? "optional" : `by default ${toText(property.default)}`;
    const facts = [kindText(property), required.includes(key) ? "required" : usual].filter((part) => part !== "");
    const text = typeof property.description === "string" ? `: ${property.description}` : "";
    return `${plainText(key)}  ${plainText(facts.join(", ") + text)}`;
  });
  return output.result({ ...tool, inputSchema: undefined, control: undefined, input_schema: inputSchema }, [
    `${plainText(name)}  ${toolText(tool)}`,
    ...fields.map((field) => `  ${field}`),
    plainText(`Call it with: resumable-mcp call ${name} ${exampleWords(inputSchema)}`),
  ]);
}

/** The subcommands that ask the servers as a whole. */
export const serverCommands = { stats, session, tools };
