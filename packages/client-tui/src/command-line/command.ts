import type { Client, Question, QuestionAnswer } from "@resumable-mcp/client";
import type { Interrupts } from "./interrupts.js";
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
  readonly ask?: (question: Question, signal: AbortSignal) => Promise<QuestionAnswer>;
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number;
}

/** Carries out a subcommand and resolves to the exit code. */
export type Command = (context: CommandContext) => Promise<number>;
