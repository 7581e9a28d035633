import { expect, test } from "vitest";
import { allTitles, read } from "../src/repository.js";

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);
const ids = [...numbers(1, 20), "20a", "20b", "20c", ...numbers(21, 29), "29a", ...numbers(30, 54)];
const written = allTitles().map(({ title }) => title);
const rows = [...read("conformance/seed-features.md").matchAll(/^- \*\*(\d+[a-z]?)\*\* .+?: (".+")$/gm)].map(
  ([, id = "", shown = ""]) => ({ id, titles: [...shown.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title) }),
);

test("the list has every feature once, in order", () => {
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test.each(rows.map(({ id, titles }) => [id, titles] as const))(
  "feature %s has its test, and each beginning is of one",
  (_id, titles) => {
    expect(titles).not.toEqual([]);
    const testsOf = (title: string) => written.filter((other) => other.startsWith(title));
    expect(titles.filter((title) => testsOf(title).length !== 1)).toEqual([]);
  },
);
