import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { callOverHttp, kill, runKillStorm, startHttpGateway, wrapped } from "./kill-storm.js";

const kills = Number(process.env.WRAP_KILLS ?? 24);

/** Repeats for a seed. Source: mulberry32, public domain. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it.each([
  ["stdio", "raw-server.js"],
  ["http", "raw-server.js"],
  ["stdio", "raw-2026-server.js"],
  ["http", "raw-2026-server.js"],
] as const)(
  "over %s, in front of %s, host, gateway and server die again and again: an effect happens at most once, each call ends, one that may be made again with its result, and no process is left",
  { timeout: Math.max(600_000, kills * 10_000) },
  async (transport, server) => {
    const seed = Number(process.env.WRAP_SEED ?? Math.floor(Math.random() * 1e6));
    const folder = await mkdtemp(join(tmpdir(), "wrap-storm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
    const { pids, ...count } = await runKillStorm({ folder, kills, transport, server, random: randomOf(seed) });
    console.log(JSON.stringify({ transport, server, seed, ...count, servers: pids.length }));
    expect(count).toMatchObject({ begunTwice: [], lostSteps: [], notEnded: [], unknown: { safe: 0 } });
    await expect.poll(() => pids.filter(lives)).toEqual([]);
  },
);

it("a server that ignores SIGTERM, and what it has started, end when the gateway is killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wrap-orphans-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const effects = join(folder, "effects");
  const { child, url } = await startHttpGateway(
    wrapped(effects, ["http", "--port", "0", "--store", join(folder, "store")]),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await callOverHttp(url, "child", {})).toContain("result");
  const noted = await readFile(effects, "utf8");
  const [server, gateway] = /^pid (\d+) (\d+)$/m.exec(noted)?.slice(1).map(Number) ?? [];
  const started = Number(/^child (\d+)$/m.exec(noted)?.[1]);
  expect([server, started].map((pid) => lives(Number(pid)))).toEqual([true, true]);
  expect(kill(gateway)).toBe(true);
  await expect
    .poll(() => [server, started].map((pid) => lives(Number(pid))), { timeout: 30_000 })
    .toEqual([false, false]);
}, 60_000);
