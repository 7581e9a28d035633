import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "../src/repository.js";

const document = read("docs/architecture.md");
const isThere = (path: string) => existsSync(join(root, path));

/** The quoted texts in the rows of the tables under a heading. */
function cellsOf(heading: string): readonly { readonly column: string; readonly names: readonly string[] }[] {
  const [section = ""] = document.split(`## ${heading}\n`).slice(1).join("").split("\n## ");
  return section.split("\n\n").flatMap((block) => {
    const [header = "", , ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    const [, column = ""] = /^\| `([^`]+)`/.exec(header) ?? [];
    return rows.map((row) => ({ column, names: [...row.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name) }));
  });
}

test("the questions lead to files that exist", () => {
  const rows = cellsOf("Where to look");
  expect(rows).toHaveLength(10);
  expect(rows.filter(({ names }) => names.length === 0)).toEqual([]);
  expect(rows.flatMap(({ names }) => names).filter((path) => !isThere(path))).toEqual([]);
});

test("the folders that the trees show exist", () => {
  const rows = cellsOf("Folders").filter(({ column }) => column !== "");
  const folders = rows.flatMap(({ column, names }) =>
    names.filter((name) => name.endsWith("/")).map((name) => [column, name]),
  );
  expect(folders.length).toBeGreaterThan(15);
  const missing = folders.filter(([column = "", name = ""]) => {
    const inner = [column, ...["engine", "admin", "command-line", "ui"].map((parent) => `${column}/${parent}`)];
    return !inner.some((parent) => isThere(`${parent}/${name}`));
  });
  expect(missing).toEqual([]);
});
