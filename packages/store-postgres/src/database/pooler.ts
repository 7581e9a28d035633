import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

const maxRounds = 32;
const maxPauseMs = 5;

/**
 * Tells whether a pooler gives the transactions of one connection to several connections of the server, as PgBouncer does with
 * `pool_mode = transaction`: there prepared statements, locks of a session and `LISTEN` do not last.
 *
 * A server names the process that serves a connection when it is opened. Where another one answers, there is a pooler, and what
 * remains to be found is whether that process stays, and serves no second connection meanwhile. Where others use the pooler, too, or it
 * gives out its connections in turn, a look may miss it: pauses and turns differ from look to look.
 */
export async function sharesConnections(
  first: pg.ClientBase,
  withSecond: <Result>(work: (second: pg.ClientBase) => Promise<Result>) => Promise<Result>,
): Promise<boolean> {
  const process = await processOf(first);
  // Not in the driver's types.
  if (process === Reflect.get(first, "processID")) return false;
  return withSecond(async (second) => {
    for (let round = 1; round <= maxRounds; round += 1) {
      for (let turn = Math.random(); turn < 1; turn += 0.5) {
        if ((await processOf(second)) === process) return true;
      }
      if ((await processOf(first)) !== process) return true;
      await pause(Math.random() * maxPauseMs);
    }
    return false;
  });
}

async function processOf(client: pg.ClientBase): Promise<number | undefined> {
  return (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;
}
