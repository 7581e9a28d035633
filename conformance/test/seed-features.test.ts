import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { manifestOf, read, titlesOf, workspaces } from "../src/repository.js";

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);

/** The documents whose rows name what shows them, and the numbers of their rows. */
const documents: Readonly<Record<string, readonly string[]>> = {
  "docs/seed-features.md": [...numbers(1, 20), "20a", "20b", "20c", ...numbers(21, 29), "29a", ...numbers(30, 54)],
};

/** What a row names: tests by file and title, and commands. */
interface Row {
  readonly id: string;
  readonly tests: readonly { readonly path: string; readonly title: string }[];
  readonly commands: readonly string[];
}

function rowsOf(document: string): readonly Row[] {
  return read(document)
    .split("\n")
    .flatMap((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const [id, shown] = [cells[1], cells.at(-2)];
      if (id === undefined || shown === undefined || !/^\d+[a-z]?$/.test(id)) return [];
      const tests = [...shown.matchAll(/\]\(([^)]+)\) "([^"]+)"/g)].map(([, link = "", title = ""]) => ({
        path: posix.join(posix.dirname(document), link),
        title,
      }));
      // What a title holds is not a command.
      const words = shown.replaceAll(/"[^"]+"/g, "");
      return [{ id, tests, commands: [...words.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command) }];
    });
}

const known = new Set(
  [...workspaces, "."].flatMap((folder) => {
    const { scripts = {}, bin = {} } = manifestOf(folder);
    const scriptNames = folder === "." ? Object.keys(scripts).map((name) => `npm run ${name}`) : [];
    return [...scriptNames, ...Object.keys(bin)];
  }),
);

describe.each(Object.entries(documents))("%s", (document, ids) => {
  const rows = rowsOf(document);

  test("the document lists every row once, in order", () => {
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  test.each(rows.map((row) => [row.id, row] as const))(
    "row %s is shown by tests and commands that exist",
    (_id, { tests, commands }) => {
      expect(tests.length + commands.length).toBeGreaterThan(0);
      for (const { path, title } of tests) expect(titlesOf(read(path)), path).toContain(title);
      for (const command of commands) {
        const program = command.startsWith("npm run ") ? command : command.split(" ")[0];
        expect([...known]).toContain(program);
      }
    },
  );
});
