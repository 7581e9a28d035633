#!/usr/bin/env node
import { harmlessText } from "@resumable-mcp/protocol/display";
import { exitCodes } from "./command-line/exit-codes.js";
import { type CommandLine, parseCommandLine } from "./command-line/parse-command-line.js";
import { runTerminalUi } from "./run-terminal-ui.js";

/** The version of this package: the build and the test runner replace it. */
declare const RESUMABLE_MCP_VERSION: string;

/**
 * Ends the program.
 *
 * Node resets the terminal when it exits and aborts where there is none any more. Who is ended by the signal of a closed
 * terminal exits with the same code, as shells count it, and without that.
 */
function leave(code: number): void {
  if (code === exitCodes.hungUp && process.stdout.isTTY) {
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  }
  process.exit(code);
}

// The reader of the output may stop early, as `head` does: that is not a failure. A closed terminal cannot be written to.
const lostOutput: ReadonlyMap<string | undefined, number> = new Map([
  ["EPIPE", exitCodes.ok],
  ["EIO", exitCodes.hungUp],
]);
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    leave(lostOutput.get(code) ?? exitCodes.failed);
  });
}

// A defect of this program is also reported in a sentence; leaving restores the terminal.
process.on("uncaughtException", (error) => {
  process.stderr.write(
    `Unexpected error: ${harmlessText(error.message)}. Your tasks continue on their servers; start this program again.\n`,
  );
  process.exit(1);
});

const words = process.argv.slice(2);

/** The command line, where it asks for nothing but the screens: those are drawn before all the rest is loaded. */
function screensLine(): CommandLine | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  try {
    const line = parseCommandLine(words, process.env);
    return line.command === undefined && !line.help && !line.version && !line.json ? line : undefined;
  } catch {
    return undefined;
  }
}

async function runWords(runUi: (line: CommandLine) => Promise<number>): Promise<number> {
  const { runCommandLine } = await import("./command-line/run-command-line.js");
  return runCommandLine(words, RESUMABLE_MCP_VERSION, runUi);
}

const runUi = (line: CommandLine) =>
  runTerminalUi({
    servers: line.servers.length === 0 ? undefined : line.servers,
    stateFile: line.state,
    clientId: line["client-id"],
    onInterrupt: line.onInterrupt,
    screenReader: line["screen-reader"] || undefined,
    mouse: line.mouse,
    theme: line.theme,
  });

const line = screensLine();
const opened = line === undefined ? undefined : await Promise.allSettled([runUi(line)]);
const [ended] = opened ?? [];
// An error of the screens is reported like that of a command.
const code =
  ended?.status === "fulfilled"
    ? ended.value
    : await runWords(ended === undefined ? runUi : () => Promise.reject(ended.reason));
// A pipe may not have taken all that was printed.
const printed = [process.stdout, process.stderr];
await Promise.all(printed.map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))));
// Connections that a server keeps half open must not keep the program alive.
leave(code);
