const unitMs: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 60 * 60_000,
  d: 24 * 60 * 60_000,
};

/**
 * Parses a duration such as `500ms`, `7.5s`, `10m`, `12h` or `7d`.
 *
 * @returns milliseconds, or `undefined` for any other text.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = unitMs[unit];
  return factor === undefined ? undefined : Math.round(Number(digits) * factor);
}
