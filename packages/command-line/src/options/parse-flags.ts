import { type ParseArgsConfig, parseArgs } from "node:util";
import { CommandError } from "../command-error.js";
import { didYouMean } from "../did-you-mean.js";
import type { Place } from "./option.js";
import { settingOf, variableOf } from "./setting-names.js";

type Flags = Readonly<
  Record<
    string,
    NonNullable<ParseArgsConfig["options"]>[string] & {
      readonly place?: Place | undefined;
      readonly negative?: boolean;
    }
  >
>;
type Parsed<Options extends Flags> = ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> & {
  /** The names of the options that were given. */
  readonly given: readonly string[];
};

/**
 * Parses a command line.
 *
 * @throws {@link CommandError} that says which flag is wrong, and which one was probably meant.
 */
export function parseFlags<Options extends Flags>(args: readonly string[], options: Options): Parsed<Options> {
  const config = { args: [...args], options, allowPositionals: true, allowNegative: true, tokens: true } as const;
  const tokens = parseArgs({ ...config, strict: false }).tokens.flatMap((token) =>
    token.kind === "option" ? token : [],
  );
  const given = tokens.map(({ name }) => (name in options ? name : name.replace(/^no-/, "")));
  for (const [index, { name, rawName }] of tokens.entries()) {
    const known = options[given[index] ?? name];
    if (known === undefined)
      throw new CommandError(`Unknown option '${rawName}'.${nearest(rawName.replace(/^-+/, ""), options)} ${where}`, 2);
    if (known.place === "settings") {
      const option = given[index] ?? name;
      const value = known.type === "boolean" ? String(!rawName.startsWith("--no-")) : undefined;
      const variable = `${variableOf(option)}${value === undefined ? "" : `=${value}`}`;
      const setting = `${settingOf(option)}${value === undefined ? "" : `: ${value}`}`;
      const inFile = "settings" in options ? `, or ${setting} in the settings file` : "";
      throw new CommandError(`${rawName} is not a flag: set ${variable}${inFile}.`, 2);
    }
  }
  try {
    return { ...parseArgs({ ...config, strict: true }), given };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? "") : String(error);
    throw new CommandError(`${reason}. ${where}`, 2, error);
  }
}

/** The words of a command line that say the same. Pure. */
export function wordsOf(values: object): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
    return [value].flat().flatMap((each) => [`--${name}`, String(each)]);
  });
}

const where = "--help lists the options.";

function nearest(name: string, options: Flags): string {
  const flags = Object.entries(options).flatMap(([known, { place, negative }]) =>
    place === "settings" ? [] : [negative === true ? `no-${known}` : known],
  );
  return didYouMean(name, flags, (known) => `--${known}`);
}
