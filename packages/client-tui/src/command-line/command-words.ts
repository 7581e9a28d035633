import { splitCommand } from "@resumable-mcp/protocol/hosts";
import { UsageError } from "./exit-codes.js";

/**
 * The program and the arguments of a command line.
 *
 * @throws {@link UsageError} for an empty command or an open quote.
 */
export function commandWords(text: string): [program: string, ...args: string[]] {
  const words = splitCommand(text);
  if (words !== undefined) return words;
  throw new UsageError(text.trim() === "" ? "--stdio needs a command." : `The command ${text} has an open quote.`);
}
