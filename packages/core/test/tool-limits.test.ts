import { describe, expect, it } from "vitest";
import { defineTool, type OwnedTasks, type Tool } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, type Gate, job, quick, type Scene } from "./scene.js";

failOnUnhandledRejections();

/** A tool whose tasks run until the test ends them, and which notes when each attempt begins. */
function held(extras: Parameters<typeof job>[1]) {
  const begun: string[] = [];
  const gates = new Map<number, Gate>();
  const gateOf = (n: number): Gate => {
    const gate = gates.get(n) ?? createGate();
    gates.set(n, gate);
    return gate;
  };
  const running = new Set<number>();
  const tool: Tool = job(async function* (task, n) {
    begun.push(`${n}/${task.attempt}`);
    running.add(n);
    await Promise.race([gateOf(n).opened, new Promise((resolve) => task.signal.addEventListener("abort", resolve))]);
    running.delete(n);
    yield { progress: 1 };
    return "done";
  }, extras);
  return { tool, begun, running, end: (n: number) => gateOf(n).open() };
}

const starter =
  (tasks: OwnedTasks) =>
  async (n: number, more: { readonly detached?: boolean } = {}) =>
    (await tasks.start({ tool: "job", input: { n }, ...more })).record.id;
const waitOf = async ({ tasks }: Scene, id: string) => (await tasks.get(id)).waitsFor;

/** Notifications of other processes come late, and a look for work a second after the one before. */
const noticeMs = 1_100;

describe("maxRunningInStore (G11.7)", () => {
  it("bounds the tasks of a tool in all processes together, and the longest waiting one is next", async () => {
    const { tool, begun, running, end } = held({ maxRunningInStore: 2 });
    const first = createScene([tool]);
    const second = first.another();
    const ids: string[] = [];
    for (const [n, scene] of [first, second, second, first].entries()) {
      ids.push(await starter(scene.tasks)(n));
      await first.rest();
    }
    expect(begun).toEqual(["0/1", "1/1"]);
    expect(await waitOf(second, ids[2] ?? "")).toEqual({ limit: "store" });
    expect(await waitOf(first, ids[3] ?? "")).toEqual({ limit: "store" });
    end(0);
    await first.clock.advance(noticeMs);
    expect(begun).toHaveLength(3);
    expect(running.size).toBe(2);
    for (const n of [1, 2, 3]) end(n);
    await first.clock.advance(2 * noticeMs);
    expect(begun.toSorted()).toEqual(["0/1", "1/1", "2/1", "3/1"]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it("takes what a process held that died, without its callers (G11.7)", async () => {
    const { tool, begun } = held({ maxRunningInStore: 2 });
    const first = createScene([tool], { limits: { recoverAfterMs: Number.POSITIVE_INFINITY } });
    const second = first.another();
    for (const n of [0, 1]) await starter(first.tasks)(n);
    await first.rest();
    const third = await starter(second.tasks)(2);
    await second.rest();
    expect(await waitOf(second, third)).toEqual({ limit: "store" });
    first.store.kill({ noticed: false });
    await second.clock.advance(30_000);
    expect(begun).toEqual(["0/1", "1/1", "2/1"]);
    expect(second.errors).toEqual([]);
  });

  it("takes a task from a process that stood still before another task runs in its place (G11.7)", async () => {
    const { tool, begun, end } = held({ maxRunningInStore: 1 });
    const stopped: { beats: boolean } = { beats: true };
    const first = createScene([tool], { limits: { recoverAfterMs: Number.POSITIVE_INFINITY } }, (store) => ({
      ...store,
      heartbeat: async (request) => (stopped.beats ? store.heartbeat(request) : undefined),
    }));
    const second = first.another();
    const id = await starter(first.tasks)(0);
    await first.rest();
    await starter(second.tasks)(1);
    stopped.beats = false;
    await second.clock.advance(30_000);
    expect(begun).toEqual(["0/1", "1/1"]);
    stopped.beats = true;
    end(0);
    await second.rest();
    expect(first.errors).toMatchObject([{ code: "LEASE_LOST" }]);
    expect((await second.tasks.get(id)).record.progress).toBe(0);
  });

  it("keeps no other tool, and no request to a task that waits", async () => {
    const { tool, begun } = held({ maxRunningInStore: 1 });
    const other = held({ name: "other" });
    const scene = createScene([tool, other.tool]);
    const start = starter(scene.tasks);
    const ids = [await start(0), await start(1), await start(2)];
    await scene.tasks.start({ tool: "other", input: { n: 0 } });
    await scene.rest();
    expect([begun, other.begun]).toEqual([["0/1"], ["0/1"]]);
    await scene.tasks.cancel(ids[1] ?? "");
    await scene.tasks.pause(ids[2] ?? "");
    await scene.rest();
    const statuses = await Promise.all(ids.map(async (id) => (await scene.tasks.get(id)).status));
    expect(statuses).toEqual(["running", "cancelled", "paused"]);
  });

  it("carries out what a process that died was asked of a task that waits", async () => {
    const { tool } = held({ maxRunningInStore: 1 });
    const first = createScene([tool]);
    const second = first.another();
    await starter(second.tasks)(0);
    await second.rest();
    const id = await starter(first.tasks)(1, { detached: true });
    await first.rest();
    first.store.kill({ noticed: true });
    await second.store.signal(id, { kind: "cancel" });
    await second.clock.advance(noticeMs);
    expect((await second.tasks.get(id)).status).toBe("cancelled");
  });

  it("frees a task that was deleted or cannot be read", async () => {
    const { tool, begun } = held({ maxRunningInStore: 1 });
    const scene = createScene([tool]);
    const value = { running: [["task_that_was_deleted", 3]], begun: [] };
    const document = { kind: "tool-limits", id: "job", owner: "server:tool-limits", value, expectedVersion: 0 };
    await scene.store.putDocument({ ...document, now: { wallMs: 0, monotonicMs: 0 } });
    await starter(scene.tasks)(0);
    await scene.rest();
    expect(begun).toEqual(["0/1"]);
  });
});

describe("rate (G11.8)", () => {
  const rate = { limit: 2, per: "1m" } as const;

  it("is kept across restarts of all processes, to the millisecond", async () => {
    const { tool, begun } = held({ rate, maxRunningInStore: 5 });
    const first = createScene([tool]);
    const ids: string[] = [];
    for (const n of [0, 1, 2, 3, 4]) {
      ids.push(await starter(first.tasks)(n, { detached: true }));
      await first.clock.advance(1_000);
    }
    expect(begun).toEqual(["0/1", "1/1"]);
    expect(await waitOf(first, ids[2] ?? "")).toEqual({ limit: "rate", until: "2026-01-01T00:01:00.000Z" });
    first.store.kill({ noticed: true });
    const next = first.another();
    await next.engine.open();
    await next.rest();
    // What had begun continues at once, and counts no second time.
    const waited = () => begun.filter((each) => each.endsWith("/1")).slice(2);
    await next.clock.advance(60_000 - 5_000 - 1);
    expect(begun.toSorted()).toEqual(["0/1", "0/2", "1/1", "1/2"]);
    expect(await waitOf(next, ids[2] ?? "")).toEqual({ limit: "rate", until: "2026-01-01T00:01:00.000Z" });
    await next.clock.advance(1);
    expect(waited()).toEqual(["2/1"]);
    await next.clock.advance(999);
    expect(waited()).toEqual(["2/1"]);
    await next.clock.advance(1);
    expect(waited()).toEqual(["2/1", "3/1"]);
    await next.clock.advance(59_000);
    expect(waited()).toEqual(["2/1", "3/1", "4/1"]);
    expect(next.errors).toEqual([]);
  });

  it("counts over all processes, and does not look again before the time has come", async () => {
    const { tool, begun } = held({ rate });
    const first = createScene([tool]);
    let reads = 0;
    const second = createScene(
      [tool],
      {},
      (store) => ({
        ...store,
        getDocument: (...address) => {
          reads += 1;
          return store.getDocument(...address);
        },
      }),
      first.store.anotherProcess(),
      first.clock,
    );
    for (const n of [0, 1]) await starter(first.tasks)(n);
    await first.rest();
    for (const n of [2, 3, 4]) await starter(second.tasks)(n);
    await second.rest();
    const before = reads;
    await second.clock.advance(59_000);
    expect([begun, reads]).toEqual([["0/1", "1/1"], before]);
    await second.clock.advance(1_000);
    expect(begun).toEqual(["0/1", "1/1", "2/1", "3/1"]);
  });

  it("counts a task once whose process died before it began", async () => {
    const { tool, begun } = held({ rate: { limit: 1, per: 60_000 } });
    const first = createScene([tool], {}, (store) => ({
      ...store,
      commit: (request) => {
        if (request.events.some(({ type }) => type === "attempt_started")) store.kill({ noticed: true });
        return store.commit(request);
      },
    }));
    void starter(first.tasks)(0, { detached: true });
    await first.rest();
    const next = createScene([tool], {}, (same) => same, first.store.anotherProcess(), first.clock);
    await next.engine.open();
    await next.rest();
    expect(begun).toEqual(["0/1"]);
    await starter(next.tasks)(1);
    await next.clock.advance(59_999);
    expect(begun).toEqual(["0/1"]);
    await next.clock.advance(1);
    expect(begun).toEqual(["0/1", "1/1"]);
  });

  it.each([
    ["on", 3_600_000],
    ["back", -3_600_000],
  ])("is not changed by a wall clock that is set an hour %s (G9.5)", async (_how, jumpMs) => {
    const { tool, begun } = held({ rate: { limit: 1, per: "1m" } });
    const scene = createScene([tool]);
    for (const n of [0, 1, 2]) await starter(scene.tasks)(n);
    await scene.rest();
    scene.clock.jump(jumpMs);
    await scene.clock.advance(59_999);
    expect(begun).toEqual(["0/1"]);
    await scene.clock.advance(1);
    expect(begun).toEqual(["0/1", "1/1"]);
    scene.clock.jump(jumpMs);
    await scene.clock.advance(59_999);
    expect(begun).toEqual(["0/1", "1/1"]);
    await scene.clock.advance(1);
    expect(begun).toEqual(["0/1", "1/1", "2/1"]);
  });

  it("waits for no longer than its time after a restart with a clock that was set back", async () => {
    const { tool, begun } = held({ rate: { limit: 1, per: "1m" } });
    const first = createScene([tool], { limits: { recoverAfterMs: Number.POSITIVE_INFINITY } });
    await starter(first.tasks)(0);
    await first.rest();
    first.store.kill({ noticed: true });
    first.clock.jump(-3_600_000);
    const next = first.another();
    await starter(next.tasks)(1);
    await next.clock.advance(60_000);
    expect(begun).toEqual(["0/1", "1/1"]);
  });
});

it("the rate of a tool and its running tasks are limits together: what waits for one is not counted for the other", async () => {
  const { tool, begun, end } = held({ maxRunningInStore: 1, rate: { limit: 2, per: "1m" } });
  const scene = createScene([tool]);
  const ids: string[] = [];
  for (const n of [0, 1, 2]) ids.push(await starter(scene.tasks)(n));
  await scene.clock.advance(50_000);
  expect([begun, await waitOf(scene, ids[1] ?? "")]).toEqual([["0/1"], { limit: "store" }]);
  end(0);
  await scene.clock.advance(noticeMs);
  end(1);
  await scene.clock.advance(noticeMs);
  expect(begun).toEqual(["0/1", "1/1"]);
  await scene.clock.advance(60_000 - 50_000 - 2 * noticeMs);
  expect(begun).toEqual(["0/1", "1/1", "2/1"]);
});

it.each([
  [{ maxRunningInStore: 0 }, "maxRunningInStore must be a whole number from 1 to 1000."],
  [{ maxRunningInStore: 1.5 }, "maxRunningInStore must be a whole number from 1 to 1000."],
  [
    { rate: { limit: 5_000, per: "1m" } },
    "rate: limit must be a whole number from 1 to 1000. A larger rate is the same in",
  ],
  [
    { rate: { limit: 1, per: 0 } },
    'rate: per must be milliseconds (10_000) or a text with ms, s, m, h or d ("10s"), not 0.',
  ],
  [{ rate: { limit: 1, per: "1 minute" } }, "rate: per must be milliseconds (10_000) or a text with"],
  [{ rate: { limit: 1, period: "1m" } }, '"period" is not a key of rate (known: limit, per).'],
  [{ rate: 5 }, "rate: limit must be a whole number"],
])("a tool with %j is refused", (limits, problem) => {
  const { name, description, input } = quick;
  const options = { name, description, input, run: async () => "done", ...limits };
  expect(() => Reflect.apply(defineTool, undefined, [options])).toThrow(problem);
});
