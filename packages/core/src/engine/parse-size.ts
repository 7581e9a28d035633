const units: { readonly [unit: string]: number } = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/**
 * Parses a size such as `500MiB` or `20GiB`, or a number of bytes.
 *
 * @returns bytes, or `undefined` for any other text.
 */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(0|[1-9]\d*)(KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
