import { cutText, plainText } from "../../display/plain-text.js";
import { countLines, sessionLines } from "../../display/summary-lines.js";
import type { Command } from "../command.js";
import { exitCodes } from "../exit-code.js";

/** `stats`: counts the tasks by status. */
export const statsCommand: Command = async ({ client, output }) => {
  const stats = await client.stats();
  if (output.json) {
    output.object({
      servers: stats.map(({ server, counts, total }) => ({
        server,
        checkpoint_stats: counts,
        total_checkpoints: total,
      })),
    });
    return exitCodes.ok;
  }
  for (const text of stats.flatMap(countLines)) output.line(text);
  return exitCodes.ok;
};

/** `session`: who this client is, what it remembers, and what its servers say. */
export const sessionCommand: Command = async ({ client, output }) => {
  const said = await client.sessionInfo().catch(() => []);
  // What ended while no program of this client ran leaves the active tasks.
  await client.unfinished().catch(() => []);
  const { clientId, stateFile, createdAt, servers, activeTasks, completedTasks } = client.summary();
  if (output.json) {
    const sessions = servers.map(({ address, sessionId }) => ({
      server_url: address,
      session_id: said.find(({ server }) => server === address)?.sessionId ?? sessionId ?? null,
      answers: said.some(({ server }) => server === address),
    }));
    output.object({
      client_id: clientId,
      state_file: stateFile,
      created_at: createdAt,
      sessions,
      active_tasks: activeTasks,
      completed_tasks: completedTasks.filter(({ status }) => status === "completed"),
      failed_tasks: completedTasks.filter(({ status }) => status === "failed"),
      cancelled_tasks: completedTasks.filter(({ status }) => status === "cancelled"),
    });
    return exitCodes.ok;
  }
  for (const text of sessionLines(client.summary())) output.line(text);
  return exitCodes.ok;
};

/** `tools`: the tools that can be called; `--all` adds those that steer tasks. */
export const toolsCommand: Command = async ({ client, line, output }) => {
  const tools = (await client.tools()).filter(({ control }) => line.all || !control);
  if (output.json) {
    output.object({
      tools: tools.map(({ name, server, title, description, inputSchema }) => ({
        name,
        server,
        title,
        description,
        input_schema: inputSchema,
      })),
    });
    return exitCodes.ok;
  }
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  for (const { name, title, description } of tools) {
    output.line(
      `${name.padEnd(width)}  ${cutText(plainText(description ?? title ?? ""), Math.max(20, output.columns - width - 2))}`.trimEnd(),
    );
  }
  return exitCodes.ok;
};

/** `ping`: asks every server for a sign of life. */
export const pingCommand: Command = async ({ client, output }) => {
  const pings = await client.ping();
  if (output.json) output.object({ servers: pings });
  else
    for (const { server, ok, milliseconds, problem } of pings)
      output.line(ok ? `${server} answers (${milliseconds} ms)` : (problem ?? server));
  return pings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.unreachable;
};
