import { parseArgs } from "node:util";

/** One option of a program. */
interface Option<Value> {
  /** How the usage names its value; a flag has none. */
  readonly takes?: string;
  readonly about: string;
  /** Makes the value of what was given, which is empty where the option is absent. */
  readonly read: (given: readonly string[], name: string) => Value;
}

type Options = Readonly<Record<string, Option<unknown>>>;
type Values<Table extends Options> = { readonly [Name in keyof Table]: ReturnType<Table[Name]["read"]> };

class OptionError extends Error {}

/** A flag. */
export function flag(about: string): Option<boolean> {
  return { about, read: (given) => given.length > 0 };
}

/** A text, the last one that is given. */
export function text(takes: string, about: string): Option<string | undefined> {
  return { takes, about, read: (given) => given.at(-1) };
}

/** Any number of texts. */
export function texts(takes: string, about: string): Option<readonly string[]> {
  return { takes, about, read: (given) => given };
}

/** One of some words, the first of them by default. */
export function oneOf<const Word extends string>(about: string, words: readonly [Word, ...Word[]]): Option<Word> {
  const read = (given: readonly string[], name: string): Word => {
    const word = given.at(-1) ?? words[0];
    const found = words.find((each) => each === word);
    if (found === undefined) throw new OptionError(`${name} takes ${words.join(" or ")}, not "${word}".`);
    return found;
  };
  return { takes: "WORD", about: `${about}: ${words.join(" or ")} (default: ${words[0]})`, read };
}

/** A whole number of at least 1, or `Infinity`. */
export function count<Default extends number | undefined>(about: string, byDefault: Default): Option<number | Default> {
  const read = (given: readonly string[], name: string): number | Default => {
    const number = numberIn(given, name, 1);
    return number === undefined ? byDefault : number;
  };
  return { takes: "N", about: byDefault === undefined ? about : `${about} (default: ${byDefault})`, read };
}

/** The seed of the random choices. */
export const seed: Option<number> = {
  takes: "N",
  about: "seed of the random choices (default: a new one)",
  read: (given, name) => numberIn(given, name, 0) ?? Date.now() % 1_000_000,
};

function numberIn(given: readonly string[], name: string, least: number): number | undefined {
  const word = given.at(-1);
  if (word === undefined) return undefined;
  const number = Number(word);
  const isWhole = Number.isSafeInteger(number) || number === Number.POSITIVE_INFINITY;
  if (isWhole && number >= least && word.trim() !== "") return number;
  throw new OptionError(`${name} takes a whole number of at least ${least}, not "${word}".`);
}

/**
 * Reads the options of a program from its command line. `--help` prints its usage and ends the program; so does a wrong
 * argument, with exit code 2.
 */
export function readOptions<Table extends Options>(program: string, purpose: string, table: Table): Values<Table> {
  const args = process.argv.slice(2);
  const usage = usageOf(program, purpose, table);
  if (args.some((word) => word === "--help" || word === "-h")) {
    console.log(usage);
    process.exit(0);
  }
  const options = Object.entries(table);
  const kindOf = ({ takes }: Option<unknown>) => (takes === undefined ? "boolean" : "string");
  try {
    const kinds = options.map(([name, option]) => [name, { type: kindOf(option), multiple: true }] as const);
    const { values } = parseArgs({ args, options: Object.fromEntries(kinds) });
    const read = ([name, option]: (typeof options)[number]) =>
      option.read([values[name] ?? []].flat().map(String), `--${name}`);
    // Each value is what its own option has read.
    return Object.fromEntries(options.map((option) => [option[0], read(option)])) as Values<Table>;
  } catch (error) {
    if (!(error instanceof OptionError || (error instanceof TypeError && "code" in error))) throw error;
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

function usageOf(program: string, purpose: string, table: Options): string {
  const rows = Object.entries(table).map(([name, { takes, about }]) => [[`--${name}`, takes].join(" ").trim(), about]);
  rows.push(["--help", "print this text"]);
  const width = Math.max(...rows.map(([option = ""]) => option.length));
  const lines = rows.map(([option = "", about]) => `  ${option.padEnd(width)}  ${about}`);
  return `Usage: ${program} [options]\n\n${purpose}\n\n${lines.join("\n")}`;
}
