import { callRows } from "./call-rows.js";
import { eraRows } from "./era-rows.js";
import { questionRows } from "./question-rows.js";
import type { Outcome, Row } from "./row.js";
import { sentenceOf } from "./seen.js";
import type { ServerUnderTest } from "./server-under-test.js";

/** All that is shown, in the order of the tables. */
export const rows: readonly Row[] = [...callRows, ...questionRows, ...eraRows];

/** After this time a row counts as failed, in milliseconds. */
const rowTimeoutMs = 80_000;
const nothing = { tasks: 0, status: "none", items: [], attempts: 0, processes: 0 };

/** Runs a row; whatever goes wrong in it is its outcome. */
export async function runRow(row: Row, server: ServerUnderTest): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end within ${rowTimeoutMs / 1_000} s.`)), rowTimeoutMs);
  });
  try {
    await Promise.race([server.ready(), timeout]);
    return { row, ...(await Promise.race([row.run(server), timeout])) };
  } catch (error) {
    return { row, problems: [sentenceOf(error)], saw: "", facts: nothing };
  } finally {
    clearTimeout(timer);
  }
}
