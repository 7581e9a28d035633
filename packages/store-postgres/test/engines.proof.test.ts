import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { newSchema, runSql } from "./stores.js";

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An engine in a process of its own. */
class EngineProcess {
  readonly #child: ChildProcess;
  #last = 0;

  constructor(options: object) {
    const program = join(import.meta.dirname, "engine-process.js");
    this.#child = fork(program, [JSON.stringify(options)], { execArgv: [] });
    ends.push(() => this.kill());
  }

  do(what: "open" | "start" | "answer" | "waits", value?: unknown): Promise<string> {
    this.#last += 1;
    const call = this.#last;
    this.#child.send({ call, what, value });
    // Each call that is under way listens.
    this.#child.setMaxListeners(0);
    return new Promise((resolve, reject) => {
      this.#child.on("message", (reply: { call: number; result: string }) => {
        if (reply.call === call) resolve(reply.result);
      });
      this.#child.once("exit", () => reject(new Error("The process has ended.")));
    });
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function scene(engineLimits = {}) {
  const { connectionString, schema } = newSchema();
  const store = createPostgresStore({ connectionString, schema });
  ends.push(
    () => runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
    () => store.close(),
  );
  /** Resolves when each of so many processes has looked at the others since. */
  const looked = async (processes: number) => {
    // This query's own text fits its pattern too.
    const text = `SELECT pid, query_start::text AS at FROM pg_stat_activity
      WHERE query LIKE '%"${schema}".worker%pg_locks%' AND pid <> pg_backend_pid()`;
    const looks = async () => (await runSql(text)).map((row) => JSON.stringify(row));
    await expect.poll(async () => (await looks()).length).toBe(processes);
    const before = await looks();
    await expect.poll(async () => (await looks()).some((look) => before.includes(look))).toBe(false);
  };
  /** Resolves when so many workers have written that they keep a lock. */
  const locked = async (workers: number) => {
    const count = async () => (await runSql(`SELECT FROM ${schema}.worker WHERE locks`)).length;
    await expect.poll(count).toBe(workers);
  };
  return { store, looked, locked, start: () => new EngineProcess({ connectionString, schema, engineLimits }) };
}

test("the tasks of a process that is killed continue in another, each item once and in order", async () => {
  const { store, start } = scene();
  const [first, second] = [start(), start()];
  await second.do("open");
  const [count, steps] = [10, 300];
  const calls = Array.from({ length: count }, (_, run) => ({
    tool: "count_to",
    input: { n: steps, run },
    detached: true,
  }));
  const ids = await Promise.all(calls.map((call) => first.do("start", call)));
  const records = async () => Promise.all(ids.map(async (id) => (await store.getTask(id))?.record));
  const isUnderWay = async () => (await records()).some((record) => (record?.progress ?? 0) > 0);
  await expect.poll(isUnderWay).toBe(true);
  await first.kill();
  const statuses = async () => new Set((await records()).map((record) => record?.status));
  await expect.poll(statuses).toEqual(new Set(["completed"]));
  const items = Array.from({ length: steps }, (_, index) => index);
  for (const id of ids) expect((await store.readItems(id, { after: 0, limit: 1000 })).items).toEqual(items);
});

test("the death of a process is noticed long before its heartbeats have stood still for a lease's time", async () => {
  const { store, start, looked } = scene({ leaseTtlMs: 2 ** 31, heartbeatMs: 60_000, pollMs: 60_000 });
  const [first, second] = [start(), start()];
  await second.do("open");
  const id = await first.do("start", { tool: "ask_name", input: {} });
  const record = async () => (await store.getTask(id))?.record;
  await expect.poll(async () => (await record())?.status).toBe("input_required");
  const { worker, attempt } = (await record()) ?? {};
  await looked(2);
  await first.kill();
  await second.do("answer", { id, key: "name", answer: { action: "accept", content: { name: "Ada" } } });
  await expect.poll(async () => (await record())?.output).toEqual({ answer: "Ada" });
  const after = await record();
  expect({ sameWorker: after?.worker === worker, attempt: after?.attempt }).toEqual({
    sameWorker: false,
    attempt: (attempt ?? 0) + 1,
  });
});

test("the death of the only process is noticed as soon by one that starts later", async () => {
  const { store, start, locked } = scene({ leaseTtlMs: 2 ** 31, heartbeatMs: 60_000, pollMs: 60_000 });
  const first = start();
  const id = await first.do("start", { tool: "ask_name", input: {} });
  const record = async () => (await store.getTask(id))?.record;
  await expect.poll(async () => (await record())?.status).toBe("input_required");
  await locked(1);
  await first.kill();
  await start().do("answer", { id, key: "name", answer: { action: "accept", content: { name: "Ada" } } });
  await expect.poll(async () => (await record())?.output).toEqual({ answer: "Ada" });
});

test("a question that one process asks is answered at another", async () => {
  const { store, start } = scene();
  const [first, second] = [start(), start()];
  const id = await first.do("start", { tool: "ask_name", input: {} });
  await expect.poll(async () => (await store.getTask(id))?.record.status).toBe("input_required");
  const [question = ""] = Object.keys((await store.getTask(id))?.record.remembered ?? {});
  await second.do("answer", { id, key: question, answer: { action: "accept", content: { name: "Ada" } } });
  await expect.poll(async () => (await store.getTask(id))?.record.output).toEqual({ answer: "Ada" });
});

test("what a killed process ran is all that other processes run more of a tool, up to its limit in the store (G11.7)", async () => {
  const { store, start } = scene();
  const [first, ...others] = [start(), start(), start()];
  const begin = (process: EngineProcess | undefined, n: number, ms: number) =>
    process?.do("start", { tool: "three_at_once", input: { n, ms }, detached: true });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(String(await begin(first, n, 2 ** 30)));
  const records = () => Promise.all(ids.map(async (id) => (await store.getTask(id))?.record));
  await expect.poll(async () => (await records()).map((record) => record?.live)).toEqual([true, true, true]);
  const calls = Array.from({ length: 40 }, (_, n) => begin(others[n % 2], 3 + n, 40));
  ids.push(...(await Promise.all(calls)).map(String));
  for (const index of [3, 4]) await expect.poll(() => others[index - 3]?.do("waits", ids[index])).toBe("store");
  const killedMs = Date.now();
  await first?.kill();
  await expect
    .poll(async () => new Set((await records()).map((record) => record?.status)))
    .toEqual(new Set(["completed"]));

  const attempts = (await Promise.all(ids.map((id) => attemptsOf(store, id)))).flat();
  const moments = attempts.flatMap(({ fromMs, untilMs, cut }) => [
    // What a killed process ran ended with it, and not when another process wrote so.
    { atMs: cut ? Math.min(untilMs, killedMs) : untilMs, change: -1 },
    { atMs: fromMs, change: 1 },
  ]);
  let running = 0;
  const counts = moments
    .sort((left, right) => left.atMs - right.atMs || left.change - right.change)
    .map(({ change }) => {
      running += change;
      return running;
    });
  expect([attempts.filter(({ cut }) => cut).length, Math.max(...counts)]).toEqual([3, 3]);
});

/** When each attempt of a task that has ended began and ended, by its journal; `cut`: its process was killed. */
async function attemptsOf(store: Store, id: string) {
  const { events } = await store.readEvents(id, { afterSeq: 0, limit: 100 });
  return events.flatMap((event, index) => {
    if (event.type !== "attempt_started") return [];
    const end = events.slice(index + 1).find(({ type }) => type === "attempt_ended" || type === "completed");
    return [{ fromMs: Date.parse(event.at), untilMs: Date.parse(end?.at ?? ""), cut: end?.type === "attempt_ended" }];
  });
}

test("tasks that wait for a tool's rate wait on after all processes were killed, and those that had begun continue (G11.8)", async () => {
  const { store, start } = scene();
  const processes = [start(), start()];
  const calls = Array.from({ length: 8 }, (_, n) =>
    processes[n % 2]?.do("start", { tool: "three_in_an_hour", input: { n, ms: 2 ** 30 }, detached: true }),
  );
  const ids = (await Promise.all(calls)).map(String);
  const attempts = async () =>
    (await Promise.all(ids.map(async (id) => (await store.getTask(id))?.record.attempt ?? 0))).toSorted();
  await expect.poll(attempts).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
  for (const each of processes) await each.kill();
  const next = start();
  await next.do("open");
  await expect.poll(attempts).toEqual([0, 0, 0, 0, 0, 2, 2, 2]);
  const waits = () => Promise.all(ids.map((id) => next.do("waits", id)));
  const waiting = async () => (await waits()).filter((limit) => limit === "rate").length;
  await expect.poll(waiting).toBe(5);
  expect(await attempts()).toEqual([0, 0, 0, 0, 0, 2, 2, 2]);
});
