import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bugs } from "../src/bugs/bug-list.js";
import { drawDatabasePlan } from "../src/run/draw-database-plan.js";
import { drawPlan } from "../src/run/draw-plan.js";

describe("the list of deliberate bugs", () => {
  test.each(bugs)("has one place in the source for: $name", ({ file, find }) => {
    const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
    expect(source.split(find)).toHaveLength(2);
  });

  test.each(bugs.filter(({ shows }) => shows !== undefined))(
    "hunts in plans that there are: $name",
    ({ shows, isDatabase }) => {
      const { mode, theme } = isDatabase ? drawDatabasePlan(1, shows) : drawPlan(1, shows);
      expect([mode, theme]).toContain(shows);
    },
  );

  test("has each name once, and at least twenty", () => {
    const names = bugs.map(({ name }) => name);
    expect([new Set(names).size, names.length >= 20]).toEqual([names.length, true]);
  });
});
