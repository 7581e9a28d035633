import { afterEach, expect, test, vi } from "vitest";
import { Database } from "../database/database.js";
import { postgresStoreDefaults } from "../database/limits.js";
import { WorkerRegistry } from "./worker-registry.js";

afterEach(() => vi.restoreAllMocks());

const ttlMs = 10_000;
const at = (monotonicMs: number) => ({ wallMs: 0, monotonicMs });

function registry(): WorkerRegistry {
  const options = { schema: "unused", limits: postgresStoreDefaults, warn: () => {} };
  return new WorkerRegistry(new Database(options));
}

test("a heartbeat is of the newest time that was noted", () => {
  const workers = registry();
  vi.spyOn(performance, "now").mockReturnValue(0);
  workers.noteTime(at(1_000));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(true);
  workers.noteTime(at(10_999));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(true);
  workers.noteTime(at(11_000));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(false);
  expect(workers.isAlive("a.1", 2, ttlMs)).toBe(true);
});

test("a heartbeat that a slow answer shows is of the time of the answer", () => {
  const workers = registry();
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  workers.noteTime(at(1_000));
  clock.mockReturnValue(20_000);
  workers.see([{ worker: "a.1", beat: 1 }]);
  workers.noteTime(at(30_999));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(true);
  workers.noteTime(at(31_000));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(false);
});

test("what was seen before any time was given is of the first time", () => {
  const workers = registry();
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(true);
  workers.noteTime(at(500_000));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(true);
  workers.noteTime(at(500_000 + ttlMs));
  expect(workers.isAlive("a.1", 1, ttlMs)).toBe(false);
});
