/** One option, as the parser, help, environment variables and the settings file know it. */
export interface Option {
  readonly type: "string" | "boolean";
  /** How its value is written; absent for an option without one. */
  readonly value?: string;
  readonly summary: string;
  readonly multiple?: boolean;
  readonly short?: string;
  /** `rest`: help shows it after `--help all` alone. `settings`: there too, and it has no flag, but a variable or a line of the settings file. */
  readonly place?: Place;
  /** Help shows how it is switched off: it is on by itself. */
  readonly negative?: boolean;
}

/** Where an option that is seldom needed stands. */
export type Place = "rest" | "settings";

/** Options by their names, without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** The options of a program in the groups of its help. */
export type OptionGroups = Readonly<Record<string, Options>>;

/** What a command line, the environment and a settings file say of some options. */
export type ValuesOf<Table extends Options> = {
  readonly [Name in keyof Table]?:
    | (Table[Name] extends { readonly multiple: true }
        ? readonly string[]
        : Table[Name] extends { readonly type: "boolean" }
          ? boolean
          : string)
    | undefined;
};

type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The options of all groups. */
export type Ungrouped<Groups extends OptionGroups> = Both<Groups[keyof Groups]>;

/** The options of all groups, in one table. */
export function ungrouped<Groups extends OptionGroups>(groups: Groups): Ungrouped<Groups> {
  return Object.assign({}, ...Object.values(groups));
}

/** An option with a value. */
export const text = <const Value extends string>(value: Value, summary: string, place?: Place) =>
  ({ type: "string", value, summary, place }) as const;

/** An option that may be given several times. */
export const list = <const Value extends string>(value: Value, summary: string, place?: Place) =>
  ({ type: "string", value, summary, place, multiple: true }) as const;

/** An option without a value. */
export const flag = (summary: string, place?: Place) => ({ type: "boolean", summary, place }) as const;

/** An option that is on by itself: `--no-NAME` switches it off. */
export const off = (summary: string, place?: Place) => ({ type: "boolean", summary, place, negative: true }) as const;

/** Options of every program. */
export const every = {
  help: {
    ...flag("this text; --help all: with all options, and what only variables and the settings file say"),
    short: "h",
  },
  version: flag("print the version of this program", "rest"),
} as const;
