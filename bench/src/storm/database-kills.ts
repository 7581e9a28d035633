import { setTimeout as pause } from "node:timers/promises";
import type { PostgresServer } from "@resumable-mcp/store-postgres/testing";
import pg from "pg";
import type { Random } from "../kills/kill-plan.js";

/** Kills all of the server and starts it again on its data, or one of its processes, after which it starts again by itself. */
export async function killDatabase(server: PostgresServer, random: Random): Promise<string> {
  if (random.next() < 0.5) {
    await server.restart();
    return "the database's main process";
  }
  const killed = await withClient(server.url, async (client) => {
    const text = "SELECT pid, backend_type FROM pg_stat_activity WHERE pid <> pg_backend_pid() ORDER BY pid";
    const { rows } = await client.query<{ pid: number; backend_type: string }>(text);
    const [first, ...others] = rows;
    if (first === undefined) return undefined;
    const { pid, backend_type } = random.pick([first, ...others]);
    return killIfThere(pid) ? backend_type : `${backend_type} that had ended`;
  });
  await untilReady(server.url);
  return `a process of the database: ${killed}`;
}

/** A process that ends by itself may have ended before its kill, when its client left or died. */
function killIfThere(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    try {
      return await withClient(url, async (client) => void (await client.query("SELECT")));
    } catch {
      await pause(50);
    }
  }
}

async function withClient<Value>(url: string, work: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = new pg.Client({ connectionString: url });
  // The server may end the connection at any time.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
