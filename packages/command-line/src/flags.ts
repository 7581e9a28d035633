import { type ParseArgsConfig, parseArgs } from "node:util";
import { type EngineLimits, engineDefaults, parseDuration, type RecoveryCounts } from "@resumable-mcp/core/engine";
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

/** What a flag takes, in milliseconds. */
export interface DurationRange {
  /** Default 1. */
  readonly minMs?: number;
  /** Default: any. */
  readonly maxMs?: number;
  /** Words that it also takes, which the caller reads itself. */
  readonly words?: readonly string[];
}

/**
 * Parses a flag that holds a time, such as `500ms`, `7.5s` or `30d`, into milliseconds.
 *
 * @throws {@link CommandError} that names the flag and what it takes.
 */
export function durationOf(
  flag: string,
  text: string | undefined,
  { minMs = 1, maxMs = Number.MAX_SAFE_INTEGER, words = [] }: DurationRange = {},
): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds >= minMs && milliseconds <= maxMs) return milliseconds;
  const allowed = `${words.length === 0 ? "" : `${words.join(", ")}, or `}a time such as 500ms, 7.5s, 10m, 12h or 30d`;
  const limit = maxMs === Number.MAX_SAFE_INTEGER ? "" : `, of at most ${maxMs / 1_000} s`;
  throw new CommandError(`--${flag} must be ${allowed}${limit}, not ${JSON.stringify(text)}.`, 2);
}

/** The flags that say how long unfinished tasks wait. */
export const recoveryFlags = {
  "recover-after": { type: "string" },
  "version-wait": { type: "string" },
} as const;

/** What they say. */
type RecoveryFlags = { readonly [Flag in keyof typeof recoveryFlags]?: string | undefined };

/** How they are used. */
export const recoveryUsage = `  --recover-after TIME   how long a task waits for its caller after the server died, before it resumes alone:
                         now, never, or a time such as 500ms, 30s, 5m or 1h (30s)
  --version-wait TIME    how long a task waits for a server with its tool's version, before another version
                         continues it (${engineDefaults.versionWaitMs / 1_000}s)`;

/** A server with the right version comes within a deploy. */
const maxVersionWaitMs = 24 * 60 * 60_000;

/** @throws {@link CommandError} that says what the flag takes. */
export function readRecovery(flags: RecoveryFlags): Pick<Partial<EngineLimits>, "recoverAfterMs" | "versionWaitMs"> {
  const recoverAfterMs = readRecoverAfter(flags["recover-after"]);
  const versionWaitMs = durationOf("version-wait", flags["version-wait"], { minMs: 0, maxMs: maxVersionWaitMs });
  return {
    ...(recoverAfterMs === undefined ? {} : { recoverAfterMs }),
    ...(versionWaitMs === undefined ? {} : { versionWaitMs }),
  };
}

function readRecoverAfter(text: string | undefined): number | undefined {
  if (text === "now") return 0;
  if (text === "never") return Number.POSITIVE_INFINITY;
  return durationOf("recover-after", text, { minMs: 0, words: ["now", "never"] });
}

/** One line about what becomes of the unfinished tasks of a server that starts. */
export function recoverySentence({ now, later, onRequest, more }: RecoveryCounts, recoverAfterMs: number): string {
  const parts = [
    ...(now > 0 ? [`${now} resume now`] : []),
    ...(later > 0 ? [`${later} when a caller returns, or after ${recoverAfterMs / 1_000} s`] : []),
    ...(onRequest > 0 ? [`${onRequest} only on request`] : []),
    ...(more ? ["more were not counted"] : []),
  ];
  // Those that other processes run are not counted: the previous server of a reload may still run some.
  return `unfinished tasks: ${parts.length === 0 ? "none waits for a process" : parts.join(", ")}`;
}

/** The flags that say whether callers see what tools throw. */
export const maskFlags = { "mask-errors": { type: "boolean" }, "no-mask-errors": { type: "boolean" } } as const;

/** @throws {@link CommandError} where both are given. */
export function readMaskErrors(flags: {
  readonly "mask-errors"?: boolean | undefined;
  readonly "no-mask-errors"?: boolean | undefined;
}): boolean | undefined {
  const [masks, shows] = [flags["mask-errors"] === true, flags["no-mask-errors"] === true];
  if (masks && shows)
    throw new CommandError("--mask-errors and --no-mask-errors exclude each other. Give one of them.", 2);
  return masks || shows ? masks : undefined;
}
