import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type MemoryStore, type Store, TerminalError } from "../src/index.js";
import { adder, begin, childOf, get, summing } from "./calling-scene.js";
import { createGate, createScene, failOnUnhandledRejections, job, type Scene, untilAborted } from "./scene.js";

failOnUnhandledRejections();

async function killed(scene: Scene): Promise<Scene> {
  scene.store.kill({ noticed: true });
  const next = scene.another();
  await next.engine.open();
  await next.rest();
  return next;
}

describe("what is requested of a task that called another one (G8.6)", () => {
  const hanging = (begun: number[] = []) =>
    defineTool({
      name: "add",
      description: "Waits.",
      input: z.object({ a: z.number(), b: z.number().optional() }),
      output: z.object({ sum: z.number() }),
      durable: true,
      run: ({ a }, task) => {
        begun.push(a);
        return begun.length > 2 ? Promise.resolve({ sum: a }) : untilAborted(task.signal);
      },
    });

  it.each([1_000, 60_000])("reaches that one too, after %i ms: pause, resume and cancel", async (ms) => {
    const begun: number[] = [];
    const scene = createScene([hanging(begun), summing(hanging(), [1])]);
    const id = await begin(scene);
    await scene.clock.advance(ms);
    const child = await childOf(scene, id);
    await scene.tasks.pause(id);
    await scene.clock.advance(30_000);
    expect([(await get(scene, id)).status, (await get(scene, child)).status]).toEqual(["paused", "paused"]);
    await scene.tasks.resume(id);
    await scene.clock.advance(1_000);
    expect([(await get(scene, child)).status, begun.length]).toEqual(["running", 2]);
    await scene.tasks.cancel(id);
    await scene.clock.advance(30_000);
    expect([(await get(scene, id)).status, (await get(scene, child)).status]).toEqual(["cancelled", "cancelled"]);
  });

  it.each([
    ["pause", "paused", 1_000],
    ["pause", "paused", 40_000],
    ["cancel", "cancelled", 1_000],
  ] as const)(
    "reaches it wherever the process dies that carries out the %s: %s after %i ms (G1, G8.6)",
    async (request, status, ms) => {
      for (const side of ["before", "after"] as const) {
        // The first write is the request itself.
        for (let place = 2; ; place++) {
          let writes = Number.NEGATIVE_INFINITY;
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
            ...{ commit: dying(store.commit), signal: dying(store.signal), releaseLease: dying(store.releaseLease) },
          });
          scene = createScene([hanging(), summing(hanging(), [1])], {}, wrap);
          const id = await begin(scene);
          await scene.clock.advance(ms);
          const child = await childOf(scene, id);
          writes = 0;
          void scene.tasks[request](id);
          await scene.clock.advance(12_000);
          if (writes < place) {
            expect(place).toBeGreaterThan(4);
            break;
          }
          const next = scene.another();
          await next.engine.open();
          await next.clock.advance(12_000);
          const statuses = [(await get(next, id)).status, (await get(next, child)).status];
          expect([side, place, ...statuses]).toEqual([side, place, status, status]);
        }
      }
    },
  );

  it("ends a task that was made too late, by a process that stood still meanwhile (G4)", async () => {
    const gate = createGate();
    let made = 0;
    const wrap = (store: MemoryStore): Store => ({
      ...store,
      async createTask(request) {
        if (request.task.parent !== undefined && ++made === 1) await gate.opened;
        return store.createTask(request);
      },
    });
    const scene = createScene([hanging(), summing(hanging(), [1])], {}, wrap);
    const id = await begin(scene);
    await scene.tasks.cancel(id);
    await scene.clock.advance(30_000);
    expect((await get(scene, id)).status).toBe("cancelled");
    gate.open();
    await scene.clock.advance(30_000);
    expect(await get(scene, await childOf(scene, id))).toMatchObject({ status: "cancelled", attempt: 0 });
  });
});

describe("a call that fails (G12)", () => {
  const failing = (times: number, error = () => new Error("503")) => {
    let made = 0;
    return defineTool({
      name: "add",
      description: "Fails at first.",
      input: z.object({ a: z.number() }),
      output: z.object({ sum: z.number() }),
      run({ a }) {
        made += 1;
        if (made <= times) throw error();
        return Promise.resolve({ sum: a + 1 });
      },
    });
  };
  const calling = (add: ReturnType<typeof failing>, extras: Parameters<typeof job>[1] = {}) =>
    job(async function* (task) {
      const { sum } = await task.call("add", add, { a: 1 });
      yield { progress: 1 };
      return `sum ${sum}`;
    }, extras);

  it("fails its task with CHILD_FAILED, and continues when that task continues", async () => {
    const add = failing(1);
    const scene = createScene([add, calling(add)]);
    const id = await begin(scene);
    await scene.clock.advance(1_000);
    const child = await childOf(scene, id);
    expect((await get(scene, id)).error).toEqual({
      code: "CHILD_FAILED",
      message: `The call "add" of add failed: 503. Its task is ${child}, and continues when this task continues.`,
    });
    await scene.tasks.resume(id);
    await scene.clock.advance(1_000);
    expect((await get(scene, id)).output).toBe("sum 2");
    expect(await get(scene, child)).toMatchObject({ status: "completed", generation: 2 });
  });

  it("is tried again as the tool's own retry says, not after a TerminalError", async () => {
    const retry = { maxAttempts: 3, initialDelay: 1_000 };
    const add = failing(2);
    const scene = createScene([add, calling(add, { retry })]);
    const id = await begin(scene);
    await scene.clock.advance(10_000);
    expect((await get(scene, id)).output).toBe("sum 2");
    const terminal = failing(2, () => new TerminalError("No such city."));
    const other = createScene([terminal, calling(terminal, { retry })]);
    const failed = await begin(other);
    await other.clock.advance(10_000);
    expect((await get(other, failed)).error).toMatchObject({ code: "CHILD_FAILED", terminal: true });
  });

  it("is remembered: a tool that catches it does the same after a crash", async () => {
    const add = failing(1);
    const gate = createGate();
    const tool = job(async function* (task) {
      const result = await task.call("add", add, { a: 1 }).catch((error: Error) => error.message.slice(0, 30));
      await gate.opened;
      yield { progress: 1 };
      return JSON.stringify(result);
    });
    const scene = createScene([add, tool]);
    const id = await begin(scene);
    await scene.clock.advance(1_000);
    const next = await killed(scene);
    await next.tasks.resume(await childOf(next, id));
    gate.open();
    await next.clock.advance(5_000);
    expect((await get(next, id)).output).toBe('"The call \\"add\\" of add failed: "');
  });

  it("hides why from the owner where messages are masked (F10)", async () => {
    const add = failing(1, () => new Error("/secret/path"));
    const scene = createScene([add, calling(add)], { maskErrors: true });
    const id = await begin(scene);
    await scene.clock.advance(1_000);
    const seen = [JSON.stringify(await scene.tasks.get(id))];
    for await (const entry of scene.tasks.follow(id)) seen.push(JSON.stringify(entry));
    expect(seen.join()).toContain("call_failed");
    expect(seen.join()).not.toContain("/secret");
  });

  it("says so of a task that was cancelled by itself", async () => {
    const add = adder([], 10_000);
    const scene = createScene([add, summing(add)]);
    const id = await begin(scene);
    await scene.tasks.cancel(await childOf(scene, id));
    await scene.clock.advance(1_000);
    expect((await get(scene, id)).error).toMatchObject({ code: "CHILD_FAILED", terminal: true });
    expect((await get(scene, id)).error?.message).toContain(
      'The call "add-0" of add failed: The task was cancelled. Its',
    );
  });
});

describe("a task that was called", () => {
  it("is kept until the task that called it has its output, whatever its ttl (G2.5)", async () => {
    const made: number[] = [];
    const add = adder(made, 1_000, { ttl: 0 });
    const scene = createScene([add, summing(add, [1])]);
    const id = await begin(scene);
    const child = await childOf(scene, id);
    await scene.tasks.pause(id);
    await scene.clock.advance(500);
    await scene.tasks.resume(child);
    await scene.clock.advance(30_000);
    expect([(await get(scene, id)).status, (await get(scene, child)).status]).toEqual(["paused", "completed"]);
    await expect(scene.tasks.delete(child)).rejects.toThrow("Delete that one first, or wait until it has finished.");
    expect(await scene.engine.sweep()).toBe(0);
    await scene.tasks.resume(id);
    await scene.clock.advance(1_000);
    expect([(await get(scene, id)).output, made]).toEqual(["sum 2", [1]]);
    expect(await scene.engine.sweep()).toBe(1);
  });

  it("is kept when it has failed, for a task that may continue it: its steps do not run again (G2.1, G2.5)", async () => {
    const made: number[] = [];
    let fails = true;
    const add = defineTool({
      name: "add",
      description: "Fails after a step.",
      input: z.object({ a: z.number(), b: z.number().optional() }),
      output: z.object({ sum: z.number() }),
      ttl: 0,
      async run({ a }, task) {
        await task.step("pay", () => made.push(a));
        if (fails) throw new Error("503");
        return { sum: a };
      },
    });
    const scene = createScene([add, summing(add, [1])]);
    const id = await begin(scene);
    await scene.clock.advance(1_000);
    expect([(await get(scene, id)).status, await scene.engine.sweep()]).toEqual(["failed", 0]);
    fails = false;
    await scene.tasks.resume(id);
    await scene.clock.advance(1_000);
    expect([(await get(scene, id)).output, made]).toEqual(["sum 1", [1]]);
    expect(await scene.engine.sweep()).toBe(1);
  });

  it("is another one after a restart from nothing (G2.5)", async () => {
    const made: number[] = [];
    const add = adder(made);
    const gate = createGate();
    const tool = (version: string) =>
      job(
        async function* (task) {
          const { sum } = await task.call("add", add, { a: 1 });
          if (version === "1") await gate.opened;
          yield { progress: 1 };
          return `sum ${sum}`;
        },
        { version, ...(version === "2" && { accepts: ["1"], onVersionChange: "restart" as const }) },
      );
    const scene = createScene([add, tool("1")]);
    const id = await begin(scene);
    await scene.clock.advance(1_000);
    scene.store.kill({ noticed: true });
    const next = scene.another({ tools: [add, tool("2")] });
    await next.engine.open();
    await next.clock.advance(60_000);
    expect([(await get(next, id)).output, made]).toEqual(["sum 2", [1, 1]]);
    expect((await next.tasks.count()).byTool).toEqual({ job: 1, add: 2 });
  });
});
