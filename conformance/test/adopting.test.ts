import { posix } from "node:path";
import { expect, test } from "vitest";
import { read, titlesOf } from "../src/repository.js";

const document = "docs/adopting.md";
const text = read(document);

/** The tests that the document lists, by the number under which its cells name them. */
const listed = [...text.matchAll(/^(\d+)\. \[[^\]]+\]\(([^)]+)\) "([^"]+)"$/gm)].map(
  ([, number = "", link = "", title = ""]) => ({ number, path: posix.join(posix.dirname(document), link), title }),
);

/** The cells of the table of what survives, without the names of its rows. */
const cells = (text.split("## What survives with which")[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| |"))
  .flatMap((line) => line.split("|").slice(2, -1))
  .map((cell) => cell.trim());

test("each cell of the table of what survives is shown by a test, or says no", () => {
  expect(cells).toHaveLength(7 * 7);
  expect(cells.filter((cell) => !/\[\d+\]$/.test(cell) && !/^no\b/.test(cell))).toEqual([]);
});

test("the tests that the document lists are there, and each is named by a cell or a sentence", () => {
  expect(listed.map(({ number }) => Number(number))).toEqual(listed.map((_test, index) => index + 1));
  expect(listed.filter(({ path, title }) => !titlesOf(read(path)).includes(title))).toEqual([]);
  const [prose = ""] = text.split("## The tests");
  const named = new Set([...prose.matchAll(/\[(\d+)\]/g)].map(([, number]) => number));
  expect([...named].sort()).toEqual(listed.map(({ number }) => number).sort());
});

test("each way that the document offers leads to a section with an example", () => {
  const links = [...text.matchAll(/\]\((\.\.\/packages\/[\w-]+\/README\.md)#([\w-]+)\)/g)];
  expect(links).toHaveLength(7);
  for (const [, path = "", anchor] of links) {
    const sections = read(posix.join("docs", path)).split(/^## /m);
    const section = sections.find((one) => anchorOf(one.split("\n")[0] ?? "") === anchor);
    expect({ anchor, hasExample: section?.includes("```js\n// ") }).toEqual({ anchor, hasExample: true });
  }
});

/** How GitHub names a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
