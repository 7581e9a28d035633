/** A time as an author writes it: milliseconds, or a number with its unit, such as `"10s"` or `"12h"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const unitMs: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a duration such as `500ms`, `7.5s`, `10m`, `12h` or `7d`.
 *
 * @returns milliseconds, or `undefined` for any other text.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = unitMs[unit];
  return factor === undefined ? undefined : Math.round(Number(digits) * factor);
}

/** The milliseconds of a `Duration`; `undefined` for any other value: `NaN`, less than 0, another text. */
export function readDuration(value: unknown): number | undefined {
  if (typeof value === "string") return parseDuration(value);
  return typeof value === "number" && value >= 0 ? value : undefined;
}

/** What is wrong with a value that is not a duration. */
export function durationProblem(value: unknown): string {
  const given = typeof value === "string" ? JSON.stringify(value) : String(value);
  return `must be milliseconds (10_000) or a text with ms, s, m, h or d ("10s"), not ${given}`;
}
