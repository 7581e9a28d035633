import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bugs } from "../src/bugs/bug-list.js";

describe("the list of deliberate bugs", () => {
  test.each(bugs)("has one place in the source for: $name", (bug) => {
    const places = [bug, ...(bug.also ?? [])].map(({ file, find }) => {
      const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
      return source.split(find).length;
    });
    expect(places).toEqual(places.map(() => 2));
  });

  test("has each name once, and at least twenty", () => {
    const names = bugs.map(({ name }) => name);
    expect([new Set(names).size, names.length >= 20]).toEqual([names.length, true]);
  });
});
