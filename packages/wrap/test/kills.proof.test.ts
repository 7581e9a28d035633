import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runKillStorm } from "./kill-storm.js";

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
  "over %s, in front of %s, host, gateway and server die again and again: an effect happens at most once, each call ends, and no process is left",
  { timeout: Math.max(600_000, kills * 10_000) },
  async (transport, server) => {
    const seed = Number(process.env.WRAP_SEED ?? Math.floor(Math.random() * 1e6));
    const folder = await mkdtemp(join(tmpdir(), "wrap-storm-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
    const { pids, ...count } = await runKillStorm({ folder, kills, transport, server, random: randomOf(seed) });
    console.log(JSON.stringify({ transport, server, seed, ...count, servers: pids.length }));
    expect(count).toMatchObject({ begunTwice: [], lostSteps: [], notEnded: [] });
    await expect.poll(() => pids.filter(lives)).toEqual([]);
  },
);
