import { isResumableError } from "@resumable-mcp/core";
import { harmlessLines } from "@resumable-mcp/protocol/display";

/**
 * The exit code of a program that has already spoken and cannot start: to start it again does not help. No tool ends its
 * process with it by accident. Source: sysexits.h, `EX_CONFIG`.
 */
export const cannotStartCode = 78;
type ExitCode = 1 | 2 | typeof cannotStartCode;

/** A sentence for the user who started a program, and the code with which it exits: 2 for a wrong command line, else 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
  }
}

/**
 * Runs a program; what it throws becomes one sentence on stderr, without a stack. A terminal that was closed, or a pipe that has
 * ended, takes what is printed there and ends nothing.
 */
export async function runCommand(program: string, main: () => Promise<void>): Promise<void> {
  process.stderr.on("error", () => {});
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${program}: ${harmlessLines(errorSentence(error))}\n`);
    process.exit(error instanceof CommandError ? error.exitCode : 1);
  }
}

/**
 * The same for a program that ends when `main` has: code that it loaded, such as a tools module, may hold the process with a timer
 * or a connection.
 */
export async function runToEnd(program: string, main: () => Promise<void>): Promise<never> {
  await runCommand(program, main);
  // A pipe may not have taken all that was printed.
  const { stdout, stderr } = process;
  await Promise.all(
    [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
  );
  process.exit();
}

/**
 * One sentence about an error, for the operator: unlike a caller, they are given the path that the error names. Never throws,
 * since anything may be thrown.
 */
export function errorSentence(error: unknown): string {
  try {
    if (error instanceof CommandError) return error.message;
    if (isResumableError(error)) return withPath(error.message, error.details);
    return error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
  } catch {
    return "What was thrown cannot be shown as a text.";
  }
}

function withPath(message: string, details: object): string {
  return "path" in details && typeof details.path === "string" && !message.includes(details.path)
    ? `${message} [${details.path}]`
    : message;
}
