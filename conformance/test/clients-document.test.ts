import { expect, test } from "vitest";
import { rows } from "../src/clients/rows.js";
import { read } from "../src/repository.js";

const cellsOf = (line: string): readonly string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The first three cells of each line of a table that names a client. */
function headsIn(document: string): readonly (readonly string[])[] {
  const lines = document.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => cellsOf(line).slice(0, 3));
}

/** What the protocol's document says of clients: one claim for each client and transport that a line names. */
function claimsIn(document: string): readonly (readonly [client: string, over: string])[] {
  const [, section = ""] = document.split("## What survives with which");
  const lines = section
    .split("\n## ")[0]
    ?.split("\n")
    .filter((line) => /^\| 20\d\d/.test(line));
  return (lines ?? []).flatMap((line) => {
    const [, over = "", , , clients = ""] = cellsOf(line);
    return clients.split("; ").flatMap((client) => over.split(", ").map((one) => [client, one] as const));
  });
}

test("the table of clients shows each row that the script runs, once and in order", () => {
  expect(headsIn(read("docs/clients.md"))).toEqual(rows.map(({ head }) => [...head]));
});

test("the table of clients shows no row that is not as it has to be", () => {
  expect(read("docs/clients.md")).not.toContain("**no**");
});

test("whatever the protocol's document says of a client is shown by a call and by a question in the table", () => {
  const claims = claimsIn(read("docs/protocol.md"));
  expect(claims.length).toBeGreaterThan(10);
  const shown = (table: string) =>
    new Set(rows.filter((row) => row.table === table).map(({ head: [client, over] }) => `${client}, ${over}`));
  const [calls, questions] = [shown("calls"), shown("questions")];
  const named = claims.map(([client, over]) => `${client}, ${over}`);
  expect(named.filter((name) => !calls.has(name) || !questions.has(name))).toEqual([]);
});
