import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { callOverHttp, type Gateway, kill, startHttpGateway, wrapped } from "./kill-storm.js";

let database: PostgresServer;

beforeAll(async () => {
  database = await startPostgres();
});

afterAll(() => database?.stop());

/** Two gateways on one database, and what their servers did. */
async function openPair(schema: string) {
  const folder = await mkdtemp(join(tmpdir(), "wrap-replicas-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const effects = join(folder, "effects");
  const words = wrapped(effects, ["http", "--port", "0", "--store", database.url, "--store-schema", schema]);
  const start = async (): Promise<Gateway> => {
    const gateway = await startHttpGateway(words);
    onTestFinished(() => void kill(gateway.child.pid));
    return gateway;
  };
  const lines = () => (existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : []);
  return { pair: [await start(), await start()] as const, lines, go: () => writeFile(`${effects}.go`, "") };
}

it.each([
  ["saved", "done one", ["step saved one 1", "step saved one 2", "step saved one 3"]],
  ["work", "OUTCOME_UNKNOWN", ["step work one 1"]],
] as const)("a call of %s, whose gateway dies, ends at the other gateway with %s", async (tool, answer, steps) => {
  const { pair, lines, go } = await openPair(`wrap_${tool}`);
  const input = { id: "one", steps: 3, holdAt: 2 };
  const first = callOverHttp(pair[0].url, tool, input);
  await expect.poll(lines).toContain(`committed ${tool} one 1`);
  kill(pair[0].child.pid);
  expect(await first).toBeUndefined();
  // Its server ends with it, and does nothing of what it is let do after that.
  await expect.poll(() => serversOf(pair[0].child.pid, lines())).toEqual([]);
  await go();
  expect(await callOverHttp(pair[1].url, tool, input)).toContain(answer);
  expect(lines().filter((line) => line.startsWith("step ") && line.includes(" one "))).toEqual(steps);
});

/**
 * The servers that a gateway started and that are alive. Whether the gateway itself is alive says nothing:
 * a killed process counts as alive until its end is read.
 */
function serversOf(gateway: number | undefined, lines: readonly string[]): readonly number[] {
  const noted = lines.filter((line) => line.startsWith("pid ")).map((line) => line.split(" ").slice(1).map(Number));
  return noted.flatMap(([pid = 0, parent]) => (parent === gateway && isAlive(pid) ? [pid] : []));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
