import { afterAll, beforeAll, expect, test } from "vitest";
import type { Row } from "../src/clients/row.js";
import { rows, runRow } from "../src/clients/rows.js";
import { type Over, type ServerUnderTest, startServer } from "../src/clients/server-under-test.js";

/** A row takes some seconds; the limit is for a machine that is busy. */
const rowTimeoutMs = 90_000;

const behaviour: Readonly<Record<Row["table"], string>> = {
  calls: "G5 a client's call in flight at the kill ends right: %s",
  questions: "G9 a question that is open at the kill is asked once, and its answer arrives: %s",
  eras: "after a kill a task is found, read and finished by another client in the other era: %s",
};

/** Registers those rows of one transport that every test run shows: nothing of them is wrong. */
export function showRows(over: Over): void {
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await startServer(over);
  }, rowTimeoutMs);
  afterAll(() => server.close());
  for (const [table, title] of Object.entries(behaviour)) {
    const chosen = rows.filter((row) => row.inTests && row.table === table && row.head[1] === over);
    expect(chosen.length).toBeGreaterThan(1);
    const named = chosen.map((row) => [row.head.join(", "), row] as const);
    test.each(named)(
      title,
      async (_name, row) => {
        const { problems, saw } = await runRow(row, server);
        expect(problems, saw).toEqual([]);
      },
      rowTimeoutMs,
    );
  }
}
