import { CommandError } from "@resumable-mcp/command-line";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { splitCommand } from "@resumable-mcp/protocol/hosts";
import { supervisorLimits } from "../limits.js";
import { supervise } from "./supervise.js";

/**
 * The program and the arguments of `--command`.
 *
 * @throws {@link CommandError} for an empty command or an open quote.
 */
export function commandWords(command: string): [string, ...string[]] {
  const words = splitCommand(command);
  if (words === undefined)
    throw new CommandError(`--command is empty or has an open quote: ${JSON.stringify(command)}.`, 2);
  const [program, ...args] = words;
  // With an empty PATH, as some hosts have it, this Node is still available.
  return [program === "node" ? process.execPath : program, ...args];
}

/** Supervises a server for the host at the other end of stdin and stdout, then ends the process. */
export async function superviseCommand(
  program: string,
  command: readonly [string, ...string[]],
  options: { readonly cannotStartCode?: number } = {},
): Promise<never> {
  const supervised = supervise({
    ...options,
    command,
    // Node opens these when they are read, which is time enough after the server was started.
    get input() {
      return process.stdin;
    },
    get output() {
      return process.stdout;
    },
    limits: supervisorLimits,
    log: (message) => process.stderr.write(`${program}: ${harmlessLines(message)}\n`),
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => supervised.stop());
  const how = await supervised.ended;
  if (how.kind === "cannot_start") process.exit(how.exitCode);
  process.exit(how.kind === "gave_up" ? 1 : 0);
}
