import { type Client, isClientError } from "@resumable-mcp/client";
import { harmlessJson, harmlessLines } from "@resumable-mcp/protocol/display";
import { errorMessage } from "../json.js";
import { openProgramClient } from "../open-program-client.js";
import { askInTerminal } from "./ask-in-terminal.js";
import { type Command, type CommandContext, listenForInterrupts } from "./command.js";
import type { CommandName } from "./command-table.js";
import { callCommand } from "./commands/call-command.js";
import { serverCommands } from "./commands/server-commands.js";
import { serversCommand } from "./commands/servers-command.js";
import { taskCommands } from "./commands/task-commands.js";
import { completionCommand, runComplete } from "./completion/complete.js";
import { completeCommand } from "./completion/completion-script.js";
import { exitCodeOfError, exitCodeOfInterrupt, exitCodes, TimeOverError, UsageError } from "./exit-code.js";
import { commandHelp, helpText, program } from "./help-text.js";
import { createOutput } from "./output.js";
import { type CommandLine, commandName, parseCommandLine } from "./parse-command-line.js";
import { runWhenServed } from "./run-when-served.js";

/** Those that work with a client. */
const commands: Readonly<Record<Exclude<CommandName, "completion" | "help">, Command>> = {
  ...taskCommands,
  ...serverCommands,
  call: callCommand,
  servers: serversCommand,
};

const visibleToken =
  "Other users of this machine see the value of --token. Use --token-file or RESUMABLE_MCP_TOKEN, and another token.\n";

/**
 * Carries out a command line and resolves to the exit code; nothing that goes wrong ends in a stack trace.
 *
 * `runUi` opens the user interface.
 */
export async function runCommandLine(
  words: readonly string[],
  version: string,
  runUi: (line: CommandLine) => Promise<number>,
): Promise<number> {
  if (words[0] === completeCommand) return runComplete(words.slice(words[1] === "--" ? 2 : 1));
  let json = words.includes("--json");
  try {
    const line = parseCommandLine(words, process.env);
    json = line.json;
    if (line.help || line.command === "help") {
      process.stdout.write(helpOf(line));
      return exitCodes.ok;
    }
    if (line.version) {
      process.stdout.write(`${version}\n`);
      return exitCodes.ok;
    }
    if (line.token !== undefined) process.stderr.write(visibleToken);
    if (line.command === "completion") return completionCommand(line.words);
    if (line.command !== undefined) return await runCommand(line, commands[line.command]);
    if (process.stdin.isTTY && process.stdout.isTTY) return await runUi(line);
    throw new UsageError(`The screens need a terminal. Name a command: ${program} help lists them.`);
  } catch (error) {
    report(error, json);
    return exitCodeOfError(error);
  }
}

/** The help of the command that is named, else all of it. */
function helpOf({ command, words }: CommandLine): string {
  const name = command === "help" ? words[0] : command;
  return name === undefined ? helpText : commandHelp(commandName(name));
}

async function runCommand(line: CommandLine, command: Command): Promise<number> {
  const output = createOutput(process.stdout, process.stderr, line.json);
  let client: Client | undefined;
  const interrupts = listenForInterrupts(process, (interrupt) => process.exit(exitCodeOfInterrupt(interrupt)));
  try {
    // `servers add` names a server that is not one of the client's yet.
    const known = line.servers.length === 0 || (line.command === "servers" && line.words[0] === "add");
    const servers = known ? undefined : line.servers;
    const clientId = line.command === "servers" ? undefined : line["client-id"];
    client = await openProgramClient({ servers, only: line.server, stateFile: line.state, clientId });
    for (const notice of client.notices) output.note(notice);
    const interactive = process.stdin.isTTY && process.stderr.isTTY && !line.json;
    const place = { input: process.stdin, output: process.stderr, keepPrompt: output.keepPrompt };
    const ask: CommandContext["ask"] = interactive
      ? (question, signal) => askInTerminal(question, signal, place)
      : undefined;
    const limit = startTimeLimit(line.timeoutMs);
    const context = { client, line, output, interrupts, clock: () => performance.now(), onFollow: limit.clear, ask };
    const wait = { client, waitMs: line.serverWaitMs, over: limit.over, note: output.note };
    return await runWhenServed(() => command(context), wait).finally(limit.clear);
  } finally {
    await client?.close();
  }
}

function report(error: unknown, json: boolean): void {
  const message = errorMessage(error);
  if (json) process.stdout.write(`${harmlessJson(JSON.stringify({ error: { code: codeOf(error), message } }))}\n`);
  else process.stderr.write(`${harmlessLines(message)}\n`);
}

function codeOf(error: unknown): string {
  if (isClientError(error)) return error.code;
  if (error instanceof TimeOverError) return "TIMEOUT";
  return error instanceof UsageError ? "USAGE" : "UNEXPECTED";
}

/** Starts the time that `--timeout` gives a whole command: `over` rejects at its end and stays pending otherwise. */
function startTimeLimit(timeoutMs: number | undefined): { readonly over: Promise<never>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    if (timeoutMs === undefined) return;
    const message = `No answer within ${timeoutMs / 1000} s. Nothing is lost: what has started continues, and the same command finds it.`;
    timer = setTimeout(() => reject(new TimeOverError(message)), timeoutMs);
  });
  over.catch(() => undefined);
  return { over, clear: () => clearTimeout(timer) };
}
