import { z } from "zod";

/** What a cell holds once it is parsed, as JSON keeps it; `null` is an empty cell of a column that allows one. */
export type CellValue = string | number | null;

/** Parses the text of one cell. */
export type Cell = z.ZodType<CellValue, string>;

const decimal = /^-?\d+(\.\d+)?$/;

const filled = z.string().min(1, { error: "is missing", abort: true });

/** Parses any text but the empty one. */
export const text = filled;

/** Parses a day, `2012-01-31`. */
export const day = filled.pipe(z.iso.date({ error: "is not a date" }));

/** Parses an instant in UTC, `2018-02-07T01:26:13.840Z`. */
export const instant = filled.pipe(z.iso.datetime({ error: "is not an instant in UTC" }));

/** Parses a decimal number between two bounds, both included. */
export function number(minimum: number, maximum: number) {
  // Not z.coerce: it reads " " as 0 and "0x10" as 16.
  return filled
    .regex(decimal, { error: "is not a number", abort: true })
    .transform(Number)
    .pipe(z.number().min(minimum, `is below ${minimum}`).max(maximum, `is above ${maximum}`));
}

/** Parses a whole number between two bounds, both included. */
export function integer(minimum: number, maximum: number) {
  return number(minimum, maximum).pipe(z.int("is not a whole number"));
}

/** Parses one of the listed words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return filled.pipe(z.enum(words, { error: `is none of ${words.join(", ")}` }));
}

/** Parses what the given cell parses, and an empty cell as `null`. */
export function optional<Value extends CellValue>(cell: z.ZodType<Value, string>) {
  return z
    .string()
    .transform((value) => (value === "" ? null : value))
    .pipe(cell.nullable());
}
