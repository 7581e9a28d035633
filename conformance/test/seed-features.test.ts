import { posix } from "node:path";
import { expect, test } from "vitest";
import { manifestOf, read, titlesOf, workspaces } from "./repository.js";

const document = "docs/seed-features.md";
const ids = [
  ...Array.from({ length: 20 }, (_, index) => `${index + 1}`),
  ...["20a", "20b", "20c"],
  ...Array.from({ length: 9 }, (_, index) => `${index + 21}`),
  "29a",
  ...Array.from({ length: 18 }, (_, index) => `${index + 30}`),
];

/** What a row names: tests by file and title, and commands. */
interface Row {
  readonly id: string;
  readonly tests: readonly { readonly path: string; readonly title: string }[];
  readonly commands: readonly string[];
}

const rows: readonly Row[] = read(document)
  .split("\n")
  .flatMap((line) => {
    const [, id, , , shown] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (id === undefined || shown === undefined || !/^\d+[a-z]?$/.test(id)) return [];
    const tests = [...shown.matchAll(/\]\(([^)]+)\) "([^"]+)"/g)].map(([, link = "", title = ""]) => ({
      path: posix.join(posix.dirname(document), link),
      title,
    }));
    return [{ id, tests, commands: [...shown.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command) }];
  });

const known = new Set(
  [...workspaces, "."].flatMap((folder) => {
    const { scripts = {}, bin = {} } = manifestOf(folder);
    const scriptNames = folder === "." ? Object.keys(scripts).map((name) => `npm run ${name}`) : [];
    return [...scriptNames, ...Object.keys(bin)];
  }),
);

test("the document lists every feature once, in order", () => {
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test.each(rows.map((row) => [row.id, row] as const))(
  "feature %s is shown by tests and commands that exist",
  (_id, { tests, commands }) => {
    expect(tests.length + commands.length).toBeGreaterThan(0);
    for (const { path, title } of tests) expect(titlesOf(read(path)), path).toContain(title);
    for (const command of commands) {
      const program = command.startsWith("npm run ") ? command : command.split(" ")[0];
      expect([...known]).toContain(program);
    }
  },
);
