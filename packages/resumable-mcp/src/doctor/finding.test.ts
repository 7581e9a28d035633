import { expect, test } from "vitest";
import { findingLines } from "./finding.js";

test("a line says what, whether all is well, and what to do; of more than ten the last one counts the rest", () => {
  const ok = { what: "port", text: "8001 is free" };
  const problem = { what: "hosts", problem: "it starts nothing. Install it again." };
  expect(findingLines([ok, problem])).toEqual([
    "port      ok       8001 is free",
    "hosts     problem  it starts nothing. Install it again.",
  ]);
  expect(findingLines([ok, ...Array.from({ length: 9 }, () => problem)])).toHaveLength(10);
  const lines = findingLines([ok, ...Array.from({ length: 12 }, () => problem)]);
  expect([lines.length, lines.at(-1)]).toEqual([10, "and 4 more problems: fix these, and run this again"]);
});
