import { expect, test } from "vitest";
import { addInvalidRow, addRow, noStatistics, runningStatistics, summariseColumns } from "./running-statistics.js";

const rows = [
  { a: 2, name: "x", gap: null },
  { a: 4, name: "y", gap: 10 },
  { a: 9, name: "z", gap: null },
];

test("counts numbers by column, and neither text nor empty cells", () => {
  const statistics = addInvalidRow(rows.reduce(addRow, noStatistics));
  expect(statistics).toMatchObject({ valid: 3, invalid: 1 });
  const summary = summariseColumns(statistics);
  expect(Object.keys(summary)).toEqual(["a", "gap"]);
  expect(summary.a).toEqual({ count: 3, mean: 5, standard_deviation: Math.sqrt(26 / 3), min: 2, max: 9 });
  expect(summary.gap).toEqual({ count: 1, mean: 10, standard_deviation: 0, min: 10, max: 10 });
});

test("has nothing to tell before the first row", () => {
  expect(summariseColumns(noStatistics)).toEqual({});
});

test("is the same to the last bit when it was stored between two rows", () => {
  const straight = rows.reduce(addRow, noStatistics);
  const stored = rows.reduce(
    (statistics, row) => runningStatistics.parse(JSON.parse(JSON.stringify(addRow(statistics, row)))),
    noStatistics,
  );
  expect(stored).toEqual(straight);
});
