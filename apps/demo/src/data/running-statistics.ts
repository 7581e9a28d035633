import { z } from "zod";
import type { CellValue } from "./cell.js";

const column = z.object({
  count: z.number(),
  mean: z.number(),
  /** Sum of squared distances from the mean. */
  squares: z.number(),
  min: z.number(),
  max: z.number(),
});

/** What is known of all rows so far, in a form that grows with the columns and not with the rows. */
export const runningStatistics = z.object({
  valid: z.number(),
  invalid: z.number(),
  columns: z.record(z.string(), column),
});

export type RunningStatistics = z.output<typeof runningStatistics>;

/** Before the first row. */
export const noStatistics: RunningStatistics = { valid: 0, invalid: 0, columns: {} };

/** What the result says of a column. */
export const columnSummary = z.object({
  count: z.number(),
  mean: z.number(),
  standard_deviation: z.number(),
  min: z.number(),
  max: z.number(),
});

/** Adds a valid row: every number in it counts for its column, empty cells and text do not. */
export function addRow(
  statistics: RunningStatistics,
  row: { readonly [column: string]: CellValue },
): RunningStatistics {
  const columns = { ...statistics.columns };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "number") columns[name] = addValue(columns[name], value);
  }
  return { ...statistics, valid: statistics.valid + 1, columns };
}

/** Adds a row that could not be used. */
export function addInvalidRow(statistics: RunningStatistics): RunningStatistics {
  return { ...statistics, invalid: statistics.invalid + 1 };
}

/** Tells count, mean, standard deviation (of the rows seen, not estimated for others), least and greatest. */
export function summariseColumns(statistics: RunningStatistics): Record<string, z.output<typeof columnSummary>> {
  return Object.fromEntries(
    Object.entries(statistics.columns).map(([name, { count, mean, squares, min, max }]) => [
      name,
      { count, mean, standard_deviation: Math.sqrt(squares / count), min, max },
    ]),
  );
}

/** Welford's method: a sum of squares of large numbers would lose the small differences between them. */
function addValue(before: z.output<typeof column> | undefined, value: number): z.output<typeof column> {
  if (before === undefined) return { count: 1, mean: value, squares: 0, min: value, max: value };
  const count = before.count + 1;
  const distance = value - before.mean;
  const mean = before.mean + distance / count;
  return {
    count,
    mean,
    squares: before.squares + distance * (value - mean),
    min: Math.min(before.min, value),
    max: Math.max(before.max, value),
  };
}
