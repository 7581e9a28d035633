import { expect, test } from "vitest";
import { rows } from "../src/clients/rows.js";
import { read } from "../src/repository.js";

/** The columns of the three tables that name a line. */
const names = { calls: ["Client"], questions: ["Client", "How"], eras: ["Clients", "How"] } as const;

/** The cells of each line of a table that names a client, by its columns. */
function linesIn(document: string): readonly ReadonlyMap<string, string>[] {
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  return document.split(/^## /m).flatMap((section) => {
    const [head = "", , ...lines] = section.split("\n").filter((line) => line.startsWith("|"));
    const columns = cellsOf(head);
    return lines.map((line) => new Map(cellsOf(line).map((cell, index) => [columns[index] ?? "", cell])));
  });
}

/** What the cells with an outcome say: who, how, and over which transport. */
const shown = linesIn(read("docs/clients.md")).flatMap((cells) => {
  const clients = (cells.get("Client") ?? cells.get("Clients") ?? "").split("<br>");
  const how = cells.has("How") ? [cells.get("How")] : [];
  const transports = ["HTTP", "stdio"].filter((over) => cells.get(over) !== "");
  return clients.flatMap((client) => transports.map((over) => [client, ...how, over].join(", ")));
});

test("the tables of clients show each row that the script runs, and no other", () => {
  const run = rows.map(({ table, head: [client, over, how] }) =>
    [client, ...(names[table].length > 1 ? [how] : []), over].join(", "),
  );
  expect(shown.toSorted()).toEqual([...new Set(run)].sort());
});

test("the table of clients shows no row that is not as it has to be", () => {
  expect(read("docs/clients.md")).not.toContain("**no**");
});
