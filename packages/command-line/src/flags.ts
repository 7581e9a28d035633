import type { EngineLimits, RecoveryCounts } from "@resumable-mcp/core/engine";
import { CommandError } from "./command-error.js";
import { didYouMean } from "./did-you-mean.js";
import type { Option } from "./options/option.js";
import { type DurationRange, readDuration as readShownDuration } from "./options/read-duration.js";
import { type HttpValues, httpOptions } from "./options/server-options.js";
import { settingOf, variableOf } from "./options/setting-names.js";

/** An option's name for messages: what has no flag has the name of its variable too. */
export function shownName(option: string): string {
  const { place }: Partial<Option> =
    Object.entries<Option>({ ...httpOptions }).find(([name]) => name === option)?.[1] ?? {};
  return place === "settings" ? `${settingOf(option)} (${variableOf(option)})` : `--${option}`;
}

/** Parses a flag that holds a whole number. */
export function wholeNumber(flag: string, text: string, range: { readonly min: number; readonly max: number }): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
  throw new CommandError(
    `${shownName(flag)} must be a whole number from ${range.min} to ${range.max}, not ${JSON.stringify(text)}.`,
    2,
  );
}

/** Parses a flag that holds one of a few words. */
export function oneOf<const Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new CommandError(
    `${shownName(flag)} must be ${words.join(" or ")}, not ${JSON.stringify(text)}.${didYouMean(text, words)}`,
    2,
  );
}

/** Parses a flag that holds a time into milliseconds. @throws {@link CommandError} that names the flag and what it takes. */
export function readDuration(flag: string, text: string | undefined, range?: DurationRange): number | undefined {
  return text === undefined ? undefined : readShownDuration(shownName(flag), text, range);
}

/** A server with the right version comes within a deploy. */
const maxVersionWaitMs = 24 * 60 * 60_000;

/** @throws {@link CommandError} that says what the flag takes. */
export function readRecovery(
  flags: Pick<HttpValues, "recover-after" | "version-wait">,
): Pick<Partial<EngineLimits>, "recoverAfterMs" | "versionWaitMs"> {
  const recoverAfterMs = readRecoverAfter(flags["recover-after"]);
  const versionWaitMs = readDuration("version-wait", flags["version-wait"], { minMs: 0, maxMs: maxVersionWaitMs });
  return {
    ...(recoverAfterMs === undefined ? {} : { recoverAfterMs }),
    ...(versionWaitMs === undefined ? {} : { versionWaitMs }),
  };
}

function readRecoverAfter(text: string | undefined): number | undefined {
  if (text === "now") return 0;
  if (text === "never") return Number.POSITIVE_INFINITY;
  return readDuration("recover-after", text, { minMs: 0, words: ["now", "never"] });
}

/** One line about what becomes of the unfinished tasks of a server that starts. */
export function recoverySentence({ now, later, onRequest, more }: RecoveryCounts, recoverAfterMs: number): string {
  const parts = [
    ...(now > 0 ? [`${now} resume now`] : []),
    ...(later > 0 ? [`${later} resume when their caller returns, or after ${recoverAfterMs / 1_000} s`] : []),
    ...(onRequest > 0 ? [`${onRequest} stay as they are until they are resumed or answered`] : []),
    ...(more ? ["more were not counted"] : []),
  ];
  // Those that other processes run are not counted: the previous server of a reload may still run some.
  return `unfinished tasks: ${parts.length === 0 ? "none waits for a process" : parts.join(", ")}`;
}
