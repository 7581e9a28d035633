import { every, flag, list, text, type ValuesOf } from "../options/option.js";
import { storePlace, storeQuotas } from "../options/server-options.js";

/** Options of every command. */
export const commonOptions = {
  ...storePlace,
  json: flag("the result as JSON"),
  ...every,
} as const;

/** Options of single commands. */
export const ownOptions = {
  ...storeQuotas,
  owner: text("OWNER", "only tasks of this owner"),
  all: flag("finished tasks too"),
  status: list("LIST", "only tasks of these statuses, with commas between them"),
  tool: text("NAME", "only tasks of this tool"),
  limit: text("N", "so many at once (50)"),
  cursor: text("CURSOR", "continues where the list before ended"),
  apply: flag("does what is said without it"),
  "older-than": text("AGE", "finished longer ago, as in 7d or 12h"),
  to: text("FILE", "where to write it (standard output)"),
  "tool-version": text("VERSION", "this version of its tool continues the task, whatever it declares"),
} as const;

/** The options of a command. */
export type CommandOptions = ValuesOf<typeof commonOptions & typeof ownOptions>;

/** A result for scripts, the same for people as lines, and whether all is well. */
export interface CommandResult {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly ok: boolean;
  /** Standard output holds the data: what is said about it goes to standard error. */
  readonly isAside?: boolean;
  /** Each line is a JSON value: scripts and people read the same. */
  readonly isJsonLines?: boolean;
}

/** Where a command reads and writes. */
export interface Console {
  /** Writes a text, with a newline, to standard output, or to standard error. */
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Writes data to standard output. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly input: AsyncIterable<Uint8Array>;
}
