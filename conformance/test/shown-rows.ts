import { expect } from "vitest";
import type { Row } from "../src/clients/row.js";
import { rows, runRow } from "../src/clients/rows.js";
import type { Over, ServerUnderTest } from "../src/clients/server-under-test.js";

/** A row takes some seconds; the limit is for a machine that is busy. */
export const rowTimeoutMs = 90_000;

/** Those rows of a table that every test run shows, by what names them. */
export function rowsOf(table: Row["table"], over: Over): readonly (readonly [string, Row])[] {
  const chosen = rows.filter((row) => row.inTests && row.table === table && row.head[1] === over);
  expect(chosen.length).toBeGreaterThan(1);
  return chosen.map((row) => [row.head.join(", "), row]);
}

/** Runs a row, and asserts that nothing of it is wrong. */
export async function expectRight(row: Row, server: ServerUnderTest | undefined): Promise<void> {
  if (server === undefined) throw new Error("There is no server.");
  const { problems, saw } = await runRow(row, server);
  expect(problems, saw).toEqual([]);
}
