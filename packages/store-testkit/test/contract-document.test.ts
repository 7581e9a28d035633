import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { clauses } from "../src/clauses/clauses.js";

const document = await readFile(new URL("../../../docs/store-contract.md", import.meta.url), "utf8");

test("the document of the store contract lists every clause as the kit has it, in the same order", () => {
  const rows = document.split("\n").filter((line) => /^- \*\*[A-Z]+-\d+\*\* /.test(line));
  const expected = clauses.map(({ id, level, title, needs }) => {
    const marks = [level === "SHOULD" ? level : [], needs ?? []].flat();
    return `- **${id}** ${marks.length > 0 ? `(${marks.join(", ")}) ` : ""}${title}`;
  });
  expect(rows).toEqual(expected);
});

test("every clause has an id of its own", () => {
  expect(new Set(clauses.map(({ id }) => id)).size).toBe(clauses.length);
});
