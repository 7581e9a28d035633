import { type Client, isClientError, openClient } from "@resumable-mcp/client";
import { askInTerminal } from "./ask-in-terminal.js";
import type { Command } from "./command.js";
import { callCommand } from "./commands/call-command.js";
import { pingCommand, serversCommand, sessionCommand, statsCommand, toolsCommand } from "./commands/server-commands.js";
import {
  answerCommand,
  resultCommand,
  showCommand,
  steerCommand,
  tasksCommand,
  waitCommand,
  watchCommand,
} from "./commands/task-commands.js";
import { exitCodeOfError, exitCodes, UsageError } from "./exit-code.js";
import { helpText } from "./help.js";
import { listenForInterrupts } from "./interrupts.js";
import { createOutput } from "./output.js";
import { type CommandLine, type CommandName, parseCommandLine } from "./parse-command-line.js";

const commands: Readonly<Record<CommandName, Command>> = {
  call: callCommand,
  tasks: tasksCommand,
  show: showCommand,
  watch: watchCommand,
  wait: waitCommand,
  pause: steerCommand("pause"),
  resume: steerCommand("resume"),
  cancel: steerCommand("cancel"),
  answer: answerCommand,
  result: resultCommand,
  stats: statsCommand,
  session: sessionCommand,
  servers: serversCommand,
  tools: toolsCommand,
  ping: pingCommand,
};

/** What the program is run in. */
export interface ProgramOptions {
  readonly version: string;
  /** Opens the user interface; loaded only when it is wanted. */
  readonly runUi: (line: CommandLine) => Promise<number>;
}

/** Carries out a command line and resolves to the exit code; nothing that goes wrong ends in a stack trace. */
export async function runCommandLine(words: readonly string[], options: ProgramOptions): Promise<number> {
  let json = words.includes("--json");
  try {
    const line = parseCommandLine(words, process.env);
    json = line.json;
    if (line.help) {
      process.stdout.write(helpText);
      return exitCodes.ok;
    }
    if (line.version) {
      process.stdout.write(`${options.version}\n`);
      return exitCodes.ok;
    }
    if (line.command !== undefined) return await runCommand(line, commands[line.command]);
    if (process.stdin.isTTY && process.stdout.isTTY) return await options.runUi(line);
    process.stderr.write(helpText);
    return exitCodes.usage;
  } catch (error) {
    report(error, json);
    return exitCodeOfError(error);
  }
}

async function runCommand(line: CommandLine, command: Command): Promise<number> {
  const output = createOutput(process.stdout, process.stderr, line.json);
  let client: Client | undefined;
  const interrupts = listenForInterrupts(process, (interrupt) => {
    process.exit(interrupt === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated);
  });
  try {
    client = await openClient({
      ...(line.servers.length === 0 ? {} : { servers: line.servers }),
      ...(line.state === undefined ? {} : { stateFile: line.state }),
    });
    for (const notice of client.notices) output.note(notice);
    const interactive = process.stdin.isTTY && process.stderr.isTTY && !line.json;
    const ask = interactive ? { ask: askInTerminal } : {};
    return await command({ client, line, output, interrupts, clock: () => performance.now(), ...ask });
  } finally {
    await client?.close();
  }
}

function report(error: unknown, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = isClientError(error) ? error.code : error instanceof UsageError ? "USAGE" : "UNEXPECTED";
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`${message}\n`);
}
