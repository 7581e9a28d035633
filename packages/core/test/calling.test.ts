import { describe, expect, expectTypeOf, it } from "vitest";
import { type MemoryStore, ResumableError, type Store, type Tool } from "../src/index.js";
import { childrenOf } from "../src/task/calls.js";
import { checkResumable } from "../src/testing.js";
import { adder, begin, childOf, get, summing } from "./calling-scene.js";
import { createGate, createScene, failOnUnhandledRejections, historyOf, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

describe("task.call", () => {
  it("gives the output of a task of its own, of the same owner, linked both ways (G10)", async () => {
    const add = adder();
    const scene = createScene([add, summing(add)]);
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const { record } = await scene.tasks.start({ tool: "job", input: {}, trace });
    await scene.clock.advance(1_000);
    const parent = await get(scene, record.id);
    expect(parent.output).toBe("sum 5");
    const children = childrenOf(parent);
    expect(children).toEqual([
      { key: "add-0", child: expect.stringMatching(/^[0-9a-f]{32}$/), tool: "add", status: "returned" },
      { key: "add-1", child: expect.stringMatching(/^[0-9a-f]{32}$/), tool: "add", status: "returned" },
    ]);
    const first = await get(scene, children[0]?.child ?? "");
    expect(first).toMatchObject({ owner: "client:a", detached: true, input: { a: 1 }, output: { sum: 2 }, trace });
    expect(first.parent).toEqual({ id: record.id, key: "add-0", depth: 1 });
    const stranger = scene.engine.forOwner("client:b");
    await expect(stranger.get(first.id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    expect((await stranger.list()).tasks).toEqual([]);
    expect((await historyOf(scene.tasks, record.id)).slice(1)).toEqual([
      ...["2 attempt_started", "3 called", "4 returned", "5 called", "6 returned", "7 checkpoint", "8 completed"],
    ]);
  });

  it("knows the types of the tool, and takes the name of one that it calls itself", async () => {
    const add = adder();
    const depth: Tool = job(async function* (task, n) {
      yield { progress: 1 };
      if (n === 0) {
        expectTypeOf(task.call("typed", add, { a: 1 })).resolves.toEqualTypeOf<{ sum: number }>();
        // @ts-expect-error: the input has no such property.
        expect(() => task.call("mistyped", add, { c: 1 })).not.toThrow();
        return "bottom";
      }
      return `${await task.call("down", "job", { n: n - 1 })} ${n}`;
    });
    const scene = createScene([depth, add]);
    const id = await begin(scene, 8);
    await scene.clock.advance(5_000);
    expect((await get(scene, id)).output).toBe("bottom 1 2 3 4 5 6 7 8");
    const deep = await begin(scene, 9);
    await scene.clock.advance(5_000);
    expect(await get(scene, deep)).toMatchObject({ status: "failed", error: { code: "CHILD_FAILED" } });
    expect((await get(scene, deep)).error?.message).toContain("The limit maxCallDepth is 8");
  });

  it.each([
    ["a tool that there is not", "none", {}, "UNKNOWN_TOOL"],
    ["an input that does not fit", "add", { a: "1" }, "INVALID_VALUE"],
  ])("refuses %s, and makes no task", async (_what, name, input, code) => {
    const tool = job(async function* (task) {
      yield { progress: 1 };
      return JSON.stringify(await task.call("it", name, input));
    });
    const scene = createScene([adder(), tool]);
    const id = await begin(scene);
    expect(await get(scene, id)).toMatchObject({ status: "failed", error: { code } });
    expect((await scene.tasks.count()).total).toBe(1);
  });

  it("holds no slot while it waits: 40 parents of one owner and their children end (G11.3)", async () => {
    const add = adder([], 10_000);
    const scene = createScene([add, summing(add, [1])], { limits: { maxRunning: 4, maxWaitingInPlace: 8 } });
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => begin(scene, n)));
    await scene.clock.advance(120_000);
    for (const id of ids) expect((await get(scene, id)).output).toBe("sum 2");
  });

  it("can be tested with the tools that a tool calls: it gives the same wherever its process dies between two commits", async () => {
    const add = adder();
    const { differences, output } = await checkResumable(summing(add, [1]), {}, { tools: [add] });
    expect([differences, output]).toEqual([[], "sum 2"]);
  });

  it("runs what a map calls at the same time, and each once, though the process dies (G2.5, G11.3)", async () => {
    const made: number[] = [];
    const add = adder(made, 90_000);
    const tool = job(async function* (task) {
      const sum = async (a: number) => (await task.call(`add-${a}`, add, { a })).sum;
      const { completed } = await task.map("sums", [1, 2, 3, 4, 5, 6], sum, { concurrency: 3 });
      yield { message: "mapped" };
      return String(completed);
    });
    const scene = createScene([add, tool], { limits: { maxWaitingInPlace: 0 } });
    const id = await begin(scene);
    await scene.clock.advance(50_000);
    expect(scene.engine.running).toEqual([]);
    scene.store.kill({ noticed: true });
    const next = scene.another();
    await next.engine.open();
    await next.clock.advance(135_000);
    expect([(await get(next, id)).output, made.sort()]).toEqual(["6", [1, 2, 3, 4, 5, 6]]);
  });

  it("waits without an attempt for a long task, and continues at its end (G9.4)", async () => {
    const add = adder([], 600_000);
    const scene = createScene([add, summing(add, [1])]);
    const id = await begin(scene);
    await scene.clock.advance(40_000);
    expect([scene.engine.running, (await get(scene, id)).live]).toEqual([[], false]);
    await scene.clock.advance(560_100);
    expect([(await get(scene, id)).output, scene.errors]).toEqual(["sum 2", []]);
    // What it looked after by itself: after a minute, two, four …
    expect((await get(scene, id)).attempt).toBeLessThan(7);
  });

  it("finds the end that another process reports, also when that process dies before it can (G5, G9.4)", async () => {
    const add = adder([], 300_000);
    for (const dies of [false, true]) {
      const scene = createScene([add, summing(add, [1])]);
      const id = await begin(scene);
      await scene.clock.advance(40_000);
      const child = await childOf(scene, id);
      scene.store.kill({ noticed: true });
      let other: Scene;
      const wrap = (store: MemoryStore): Store => ({
        ...store,
        async signal(taskId, signal) {
          if (!dies || taskId !== id) return store.signal(taskId, signal);
          other.store.kill({ noticed: true });
          return new Promise<never>(() => {});
        },
      });
      other = createScene([add, summing(add, [1])], {}, wrap, scene.store.anotherProcess(), scene.clock);
      await other.engine.open();
      await scene.clock.advance(260_000);
      const last = dies ? other.another() : other;
      expect((await get(last, child)).status).toBe("completed");
      await last.engine.open();
      await scene.clock.advance(dies ? 300_000 : 1_000);
      expect((await get(last, id)).output).toBe("sum 2");
    }
  });

  it("finds an end that no process could report, also while it runs a step that waits for it (G5)", async () => {
    const add = adder([], 1_000);
    const tool = job(async function* (task) {
      const gate = createGate();
      const call = task.call("add", add, { a: 1 }).then(gate.open);
      await Promise.all([call, task.step("other", () => gate.opened)]);
      yield { progress: 1 };
      return "done";
    });
    const wrap = (store: MemoryStore): Store => ({
      ...store,
      async signal(id, signal) {
        if (signal.kind !== "offer") await store.signal(id, signal);
      },
    });
    const scene = createScene([add, tool], {}, wrap);
    const id = await begin(scene);
    await scene.clock.advance(120_000);
    expect((await get(scene, id)).output).toBe("done");
  });

  it.each([1_000, 60_000])(
    "is cancelled with its task, after %i ms, though another one is damaged (G8.6)",
    async (ms) => {
      let damaged: string | undefined;
      const check = (id: string) => {
        if (id !== damaged) return;
        throw new ResumableError("TASK_CORRUPT", "Damaged.", { details: { taskId: id, path: "journal" } });
      };
      const wrap = (store: MemoryStore): Store => ({
        ...store,
        async getTask(id) {
          check(id);
          return store.getTask(id);
        },
        async signal(id, signal) {
          check(id);
          return store.signal(id, signal);
        },
      });
      const add = adder([], 600_000);
      const tool = job(async function* (task) {
        await Promise.all(["a", "b"].map((key) => task.call(key, add, { a: 1 })));
        yield { progress: 1 };
        return "done";
      });
      const scene = createScene([add, tool], {}, wrap);
      const id = await begin(scene);
      await scene.clock.advance(ms);
      const [first, second = ""] = childrenOf(await get(scene, id)).map(({ child }) => child);
      damaged = first;
      await scene.tasks.cancel(id);
      await scene.clock.advance(30_000);
      expect([(await get(scene, id)).status, (await get(scene, second)).status]).toEqual(["cancelled", "cancelled"]);
    },
  );

  it("gives the same wherever a process dies before or after a write, each addition once (G1, G2.5)", async () => {
    for (const side of ["before", "after"] as const) {
      for (let place = 1; ; place++) {
        const made: number[] = [];
        const add = adder(made);
        const tools = [add, summing(add)];
        let writes = 0;
        let scene: Scene;
        const dying = (method: (...parameters: never[]) => Promise<unknown>) =>
          (async (...parameters: never[]) => {
            writes += 1;
            const dies = writes === place;
            if (dies && side === "after") await method(...parameters);
            if (dies) scene.store.kill({ noticed: true });
            return dies ? new Promise<never>(() => {}) : method(...parameters);
          }) as never;
        const wrap = (store: MemoryStore): Store => ({
          ...store,
          ...{ createTask: dying(store.createTask), commit: dying(store.commit), signal: dying(store.signal) },
        });
        scene = createScene(tools, {}, wrap);
        const callId = "0123456789abcdef";
        void scene.tasks.start({ tool: "job", input: {}, callId, detached: true }).catch(() => {});
        await scene.clock.advance(5_000);
        if (writes < place) {
          expect(place).toBeGreaterThan(10);
          break;
        }
        const next = scene.another();
        await next.tasks.start({ tool: "job", input: {}, callId, detached: true });
        await next.clock.advance(10_000);
        const tasks = (await next.tasks.list()).tasks.map(({ tool, status }) => `${tool} ${status}`).sort();
        expect([side, place, tasks]).toEqual([side, place, ["add completed", "add completed", "job completed"]]);
        expect((await get(next, callId)).output).toBe("sum 5");
        // A step whose process died before it was written begins again.
        expect([
          [1, 2],
          [1, 1, 2],
          [1, 2, 2],
        ]).toContainEqual(made);
      }
    }
  });
});
