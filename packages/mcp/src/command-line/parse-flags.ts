import { type ParseArgsConfig, parseArgs } from "node:util";
import { CommandError } from "./command-error.js";

type Flags = NonNullable<ParseArgsConfig["options"]>;
type Parsed<Options extends Flags> = ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>;

/**
 * Parses a command line.
 *
 * @throws {@link CommandError} with the usage for an unknown flag, or one without its value.
 */
export function parseFlags<Options extends Flags>(
  args: readonly string[],
  options: Options,
  usage: string,
): Parsed<Options> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    throw new CommandError(`${reason}.\n${usage}`, 2, error);
  }
}

/** Parses a flag that holds a whole number. */
export function wholeNumber(flag: string, text: string, range: { readonly min: number; readonly max: number }): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
  throw new CommandError(
    `--${flag} must be a whole number from ${range.min} to ${range.max}, not ${JSON.stringify(text)}.`,
    2,
  );
}

/** Parses a flag that holds one of a few words. */
export function oneOf<const Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new CommandError(`--${flag} must be ${words.join(" or ")}, not ${JSON.stringify(text)}.`, 2);
}
