import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Database, type Statement } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { DeathNotices } from "./death-notices.js";
import { WorkerRegistry } from "./worker-registry.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const { deathNoticeMs, deathLookMs } = postgresStoreDefaults;
const ttlMs = 600_000;
const other = "other.elsewhere";

/** Death notices of one process, the server's part of which the test plays. */
function scene() {
  const database = new Database({ schema: "unused", limits: postgresStoreDefaults, warn: () => {} });
  const workers = new WorkerRegistry(database);
  const name = workers.nameOf("own");
  workers.noteTime({ wallMs: 0, monotonicMs: 0 });
  workers.nextBeat(name);
  const server = { own: true, locks: true, held: true, beat: 1, answers: true, sent: [] as string[] };
  vi.spyOn(database, "queryOn").mockImplementation(async (_client, statement: Statement) => {
    server.sent.push(statement.name);
    if (!server.answers) return new Promise(() => {});
    if (statement.name === "lock") server.own = true;
    const rows: readonly unknown[] = [
      { worker: name, beat: 1, locks: true, held: server.own },
      { worker: other, beat: server.beat, locks: server.locks, held: server.held },
    ];
    return rows as never;
  });
  vi.spyOn(workers, "heartbeat").mockImplementation(async () => void server.sent.push("beat"));
  const onDeath = vi.fn();
  const onSilence = vi.fn(() => notices.disconnected());
  const notices: DeathNotices = new DeathNotices(database, workers, { onDeath, onSilence });
  return {
    server,
    notices,
    onDeath,
    onSilence,
    connect: () => notices.connected({} as pg.ClientBase),
    isAlive: () => workers.isAlive(other, server.beat, ttlMs),
    /** What is sent while time passes. */
    async pass(ms: number) {
      server.sent.length = 0;
      await vi.advanceTimersByTimeAsync(ms);
      return [...new Set(server.sent)];
    },
  };
}

test("a process whose lock is missing and whose heartbeat does not move is dead, until it moves after all", async () => {
  const { server, connect, pass, isAlive, onDeath } = scene();
  await connect();
  await pass(deathLookMs);
  server.held = false;
  await pass(deathNoticeMs);
  expect({ alive: isAlive(), notices: onDeath.mock.calls.length }).toEqual({ alive: true, notices: 0 });
  await pass(deathLookMs);
  expect({ alive: isAlive(), notices: onDeath.mock.calls.length }).toEqual({ alive: false, notices: 1 });
  server.beat += 1;
  expect(isAlive()).toBe(true);
});

test("a process that has lost its lock lives as long as its heartbeat moves", async () => {
  const { server, connect, pass, isAlive, onDeath } = scene();
  await connect();
  await pass(deathLookMs);
  server.held = false;
  for (let look = 0; look < 20; look++) {
    server.beat += 1;
    await pass(deathNoticeMs);
  }
  expect({ alive: isAlive(), notices: onDeath.mock.calls.length }).toEqual({ alive: true, notices: 0 });
});

test("a process that was dead before this one began is noticed as soon, and once", async () => {
  const { server, connect, pass, isAlive, onDeath } = scene();
  server.held = false;
  await connect();
  await pass(deathNoticeMs);
  expect({ alive: isAlive(), notices: onDeath.mock.calls.length }).toEqual({ alive: true, notices: 0 });
  await pass(10 * deathNoticeMs);
  expect({ alive: isAlive(), notices: onDeath.mock.calls.length }).toEqual({ alive: false, notices: 1 });
});

test("a process whose row promises no lock is judged by its heartbeat alone", async () => {
  const { server, connect, pass, isAlive } = scene();
  server.locks = false;
  server.held = false;
  await connect();
  await pass(10 * deathNoticeMs);
  expect(isAlive()).toBe(true);
});

test("a process that looks again after a long pause judges by what it sees then", async () => {
  const { server, connect, pass, isAlive } = scene();
  await connect();
  await pass(deathLookMs);
  server.held = false;
  await pass(deathLookMs);
  // It asks, and reads the answer only after a long time.
  server.answers = false;
  await pass(10 * deathNoticeMs);
  expect(isAlive()).toBe(true);
});

test("a process moves its heartbeat while it has no connection, no answer or no lock, and takes the lock again", async () => {
  const { server, notices, connect, pass, onSilence } = scene();
  await connect();
  expect(await pass(deathLookMs)).toEqual(["look"]);
  server.own = false;
  expect(await pass(deathLookMs)).toEqual(["look", "beat", "lock"]);
  expect(await pass(deathLookMs)).toEqual(["look"]);
  server.answers = false;
  expect(await pass(3 * deathLookMs)).toEqual(["look", "beat"]);
  expect(onSilence.mock.calls.length).toBe(0);
  await pass(postgresStoreDefaults.statementTimeoutMs);
  expect(onSilence.mock.calls.length).toBe(1);
  expect(await pass(deathLookMs)).toEqual(["beat"]);
  server.answers = true;
  notices.close();
  expect(await pass(10 * deathLookMs)).toEqual([]);
});
