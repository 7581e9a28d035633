import type { Client } from "@resumable-mcp/client";
import type { QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import type { Output } from "./output.js";
import type { CommandLine } from "./parse-command-line.js";

/** What a command works with. */
export interface CommandContext {
  readonly client: Client;
  readonly line: CommandLine;
  readonly output: Output;
  readonly interrupts: Interrupts;
  /** Called when a command begins to follow a task: from then on it sees to `--timeout` itself. */
  readonly onFollow: () => void;
  /** Asks the person at the terminal; absent without a terminal. */
  readonly ask?: (question: TaskQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number;
}

/** Carries out a subcommand and resolves to the exit code. */
export type Command = (context: CommandContext) => Promise<number>;

const interruptSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A request from outside to end. */
export type Interrupt = (typeof interruptSignals)[number];

/** Lets one piece of work decide what a first Ctrl-C means; without one it ends the program, as a second always does. */
export interface Interrupts {
  /** Resolves at the next interrupt, which then does not end the program. */
  next(): Promise<Interrupt>;
}

/** Listens for signals from now on; `source` is `process` in life. */
export function listenForInterrupts(
  source: { on(signal: Interrupt, listener: () => void): unknown },
  exit: (interrupt: Interrupt) => void,
): Interrupts {
  let waiting: ((interrupt: Interrupt) => void) | undefined;
  for (const signal of interruptSignals) {
    source.on(signal, () => {
      const resolve = waiting ?? exit;
      waiting = undefined;
      resolve(signal);
    });
  }
  return {
    next: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
  };
}
