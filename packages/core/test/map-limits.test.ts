import { describe, expect, it } from "vitest";
import { defineTool, RetryableError, TerminalError } from "../src/index.js";
import { fixedLimits } from "../src/limits.js";
import { createManualClock } from "../src/testing.js";
import { base, checkpointsOf, itemsOf, mapping, named, numbers, type Run, slowly, type Task } from "./map-scene.js";
import { begin, createGate, createScene, errorOf, failOnUnhandledRejections, killed, outputOf } from "./scene.js";

failOnUnhandledRejections();

describe("task.map stops and waits", () => {
  it("keeps at most concurrency items of a source in memory (G11)", async () => {
    let [read, committed, most] = [0, 0, 0];
    const source = () =>
      slowly(500, () => {
        read += 1;
        most = Math.max(most, read - committed);
      });
    const tool = mapping(source, (item) => item, { concurrency: 4 });
    const scene = createScene([tool], {}, (store) => ({
      ...store,
      commit: async (request) => {
        const result = await store.commit(request);
        committed = result.record.progress;
        return result;
      },
    }));
    const id = await begin(scene);
    expect(await outputOf(scene, id)).toEqual({ completed: 500, failed: 0 });
    expect([2, 3, 4]).toContain(most);
  });

  it("pauses between two items, and continues where its request is taken back (G8)", async () => {
    const gates = numbers(4).map(createGate);
    const begun: number[] = [];
    const run = async (item: number) => {
      begun.push(item);
      await gates[item]?.opened;
      return item;
    };
    const scene = createScene([mapping(4, run, { concurrency: 2 })]);
    const id = await begin(scene);
    await scene.tasks.pause(id);
    await scene.clock.advance(1_000);
    gates[0]?.open();
    await scene.rest();
    await scene.tasks.resume(id);
    await scene.clock.advance(1_000);
    gates[1]?.open();
    await scene.rest();
    expect([(await scene.tasks.get(id)).record.attempt, begun]).toEqual([1, [0, 1, 2, 3]]);
    await scene.tasks.pause(id);
    await scene.clock.advance(1_000);
    gates[2]?.open();
    gates[3]?.open();
    await scene.rest();
    expect(await scene.tasks.get(id)).toMatchObject({ status: "paused", record: { progress: 4 } });
    await scene.tasks.resume(id);
    await scene.rest();
    expect([await outputOf(scene, id), begun]).toEqual([{ completed: 4, failed: 0 }, [0, 1, 2, 3]]);
  });

  it("gives its slot up for another owner without running an item twice (G11.6)", async () => {
    const runs: number[] = [];
    const tool = mapping(
      40,
      async (item, _attempt, task) => {
        runs.push(item);
        await task.sleep(`s-${item}`, 0);
        await new Promise<void>((resolve) => clock.after(10 + (item % 4) * 20_000, resolve));
        return item;
      },
      { concurrency: 3 },
    );
    const clock = createManualClock();
    const limits = { maxRunning: 1, maxRunningPerOwner: 1, slotTurnMs: 60_000, graceMs: 100 };
    const scene = createScene([tool, named("other")], { limits }, undefined, undefined, clock);
    const id = await begin(scene);
    const { record } = await scene.engine.forOwner("client:b").start({ tool: "other", input: {} });
    await clock.advance(1_000_000);
    expect((await scene.tasks.get(id)).record).toMatchObject({ status: "completed", attempt: 2 });
    expect((await scene.store.getTask(record.id))?.record.status).toBe("completed");
    expect(runs).toEqual(numbers(40));
  });

  it("ends what works next to it before it gives its slot up or pauses: no item and no step runs twice (G2, G8)", async () => {
    const clock = createManualClock();
    const runs: string[] = [];
    const work = async (name: string, ms: number) => {
      runs.push(name);
      await new Promise<void>((resolve) => clock.after(ms, resolve));
    };
    const tool = defineTool({
      ...base,
      run: async (_input, task) => {
        const map = (key: string, count: number, ms: number) =>
          task.map(key, numbers(count), (item) => work(`${key}${item}`, ms), { concurrency: 2 });
        const step = task.step("s", () => work("s", 90_000));
        const [a, b] = await Promise.all([map("a", 20, 10_000), map("b", 9, 35_000), step]);
        return [a, b];
      },
    });
    const limits = { maxRunning: 1, maxRunningPerOwner: 1, slotTurnMs: 20_000, graceMs: 100_000 };
    const scene = createScene([tool, named("other")], { limits }, undefined, undefined, clock);
    const id = await begin(scene);
    const { record } = await scene.engine.forOwner("client:b").start({ tool: "other", input: {} });
    await clock.advance(130_000);
    expect((await scene.store.getTask(record.id))?.record.status).toBe("completed");
    await scene.tasks.pause(id);
    await clock.advance(90_000);
    expect((await scene.tasks.get(id)).status).toBe("paused");
    await scene.tasks.resume(id);
    await clock.advance(1_000_000);
    const all = [
      { completed: 20, failed: 0 },
      { completed: 9, failed: 0 },
    ];
    expect((await scene.tasks.get(id)).record).toMatchObject({ attempt: 3, output: all });
    const names = ["s", ...numbers(20).map((item) => `a${item}`), ...numbers(9).map((item) => `b${item}`)];
    expect([...runs].sort()).toEqual(names.sort());
  });

  it("stops within the grace time when it is cancelled, also while its source waits (G8)", async () => {
    async function* endless() {
      yield 1;
      await new Promise(() => {});
      yield 2;
    }
    const scene = createScene([mapping(endless, (item) => item)]);
    const id = await begin(scene);
    expect((await scene.tasks.get(id)).record.progress).toBe(1);
    await scene.tasks.cancel(id);
    await scene.clock.advance(1_000);
    expect((await scene.tasks.get(id)).status).toBe("cancelled");
  });

  it("ends a source that it has not read to its end, and only that (G8)", async () => {
    let ended = 0;
    const end = () => {
      ended += 1;
      return { done: true as const, value: undefined };
    };
    const source = () => {
      const items = numbers(3).values();
      return { [Symbol.iterator]: () => ({ next: () => items.next(), return: end }) };
    };
    for (const [run, times] of [
      [() => undefined, 0],
      [() => Promise.reject(new TerminalError("no")), 1],
    ] as const) {
      const scene = createScene([mapping(source, run)]);
      await errorOf(scene, await begin(scene));
      expect(ended).toBe(times);
    }
  });

  it("lets others run while it reads again what earlier attempts have done (G11)", async () => {
    const batch = fixedLimits.mapSkipBatch;
    const [clock, pausedAt] = [createManualClock(), new Set<number>()];
    let read = 0;
    const after: typeof clock.after = (...timer) => {
      pausedAt.add(read);
      return clock.after(...timer);
    };
    const source = () =>
      slowly(2 * batch + 1, (index) => {
        read = index + 1;
      });
    let hangs = true;
    const run = (item: number) => (hangs && item === 2 * batch ? new Promise<undefined>(() => {}) : undefined);
    const tool = mapping(source, run, { concurrency: 100 });
    const scene = createScene([tool], {}, undefined, undefined, { ...clock, after });
    const id = await begin(scene);
    hangs = false;
    pausedAt.clear();
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect(await outputOf(next, id)).toEqual({ completed: 2 * batch + 1, failed: 0 });
    expect([...pausedAt]).toEqual(expect.arrayContaining([batch, 2 * batch]));
  });

  it("holds no slot while each of its items waits, and asks each question once (G9)", async () => {
    const question = { message: "?", schema: { type: "object" as const, properties: {} } };
    const run: Run = async (item, _attempt, task) => {
      const { action } = await task.ask(`q-${item}`, question);
      await task.sleep(`s-${item}`, "10m");
      return action === "decline" ? item : undefined;
    };
    const limits = { maxWaitingInPlace: 0 };
    const scene = createScene([mapping(2, run, { concurrency: 2 })], { limits });
    const id = await begin(scene);
    await scene.clock.advance(60_000);
    expect([scene.engine.running, (await scene.tasks.get(id)).status]).toEqual([[], "input_required"]);
    for (const key of ["q-1", "q-0"]) await scene.tasks.answer(id, key, { action: "decline" });
    await scene.clock.advance(700_000);
    expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([{ completed: 2, failed: 0 }, [0, 1]]);
  });

  it("runs no item again that ended while one before it waits, again and again (G2)", async () => {
    const ended: number[] = [];
    const run: Run = async (item, _attempt, task) => {
      if (item === 0) for (const time of numbers(5)) await task.sleep(`s-${time}`, "2m");
      ended.push(item);
      return item;
    };
    for (const maxWaitingInPlace of [64, 1]) {
      ended.length = 0;
      const scene = createScene([mapping(4, run, { concurrency: 4 }), named("other")], {
        limits: { maxRunning: 1, maxWaitingInPlace },
      });
      const id = await begin(scene);
      await scene.clock.advance(60_000);
      const { record } = await scene.tasks.start({ tool: "other", input: {} });
      await scene.clock.advance(600_000);
      expect(await outputOf(scene, record.id)).toBe("done");
      expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([{ completed: 4, failed: 0 }, numbers(4)]);
      // An attempt more than may wait in place ends all the same.
      if (maxWaitingInPlace > 1) expect(ended).toEqual([1, 2, 3, 0]);
      else expect(ended.length).toBeGreaterThan(4);
    }
  });

  it("runs no item again that works while others wait, each for several things, or its tool does (G2)", async () => {
    for (const inItems of [true, false]) {
      const begun: number[] = [];
      const clock = createManualClock();
      const wait = (task: Task) => Promise.all([task.sleep("a", "10m"), task.sleep("b", "20m")]);
      const tool = defineTool({
        ...base,
        run: async (_input, task) => {
          const work = async (item: number) => {
            begun.push(item);
            if (item === 0 && inItems) return await wait(task).then(() => item);
            return await new Promise<number>((resolve) => clock.after(60_000, () => resolve(item)));
          };
          const map = task.map("m", numbers(2), work, { concurrency: inItems ? 2 : 1 });
          const [counts] = await Promise.all([map, ...(inItems ? [] : [wait(task)])]);
          return counts;
        },
      });
      const scene = createScene([tool], {}, undefined, undefined, clock);
      const id = await begin(scene);
      await clock.advance(40 * 60_000);
      expect([await outputOf(scene, id), begun]).toEqual([{ completed: 2, failed: 0 }, [0, 1]]);
    }
  });

  it("leaves its slot to what an item calls where a limit of its tool counts both (G11.3)", async () => {
    const tool = defineTool({
      ...base,
      maxRunning: 1,
      run: async ({ n }, task) => {
        const call = async (item: number) => (item === 0 ? Number(await task.call("c", "job", { n: 1 })) : item);
        return n === 1 ? 7 : (await task.map("m", numbers(2), call, { concurrency: 2 })).completed;
      },
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    await scene.clock.advance(200_000);
    expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([2, [7, 1]]);
  });

  it("writes no more in one commit than maxAppendBytes, and no more in all than maxItemsBytes (G11)", async () => {
    const limits = { maxAppendBytes: 12, maxItemsBytes: 70 };
    const tool = defineTool({
      ...base,
      limits,
      run: async (_input, task) => await task.map("m", numbers(30), (item) => 100 + item, { concurrency: 30 }),
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const sizes = (await checkpointsOf(scene, id)).map(({ items = [] }) => items.length);
    expect([Math.max(...sizes), await errorOf(scene, id)]).toMatchObject([2, { code: "LIMIT_EXCEEDED" }]);
    const large = createScene([mapping(2, () => 123_456_789_012, {}, { maxAppendBytes: 12 })]);
    expect(await errorOf(large, await begin(large))).toMatchObject({ code: "LIMIT_EXCEEDED" });
    // A failure that is collected is not why a map ends.
    const collecting = defineTool({
      ...base,
      limits: { maxItemsBytes: 1 },
      run: async (_input, task) => {
        const gate = createGate();
        const run = async (item: number) => {
          if (item === 1) gate.open();
          if (item === 1) return item;
          await gate.opened.then(() => undefined);
          throw new TerminalError("no");
        };
        return await task.map("m", numbers(2), run, { concurrency: 2, onFailure: "collect" });
      },
    });
    const other = createScene([collecting]);
    expect(await errorOf(other, await begin(other))).toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  it("has a signal for each item and step, as listeners of 20 on one would be taken for a leak (G11)", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on("warning", note);
    const run: Run = async (item, { signal, attempt }, task) => {
      if (attempt === 1) throw new RetryableError("429", { delay: "1s" });
      signal.addEventListener("abort", () => {});
      await task.step(`t-${item}`, (step) => step.signal.addEventListener("abort", () => {}), { timeout: "1s" });
      await task.step(`s-${item}`, (step) => step.signal.addEventListener("abort", () => {}));
      await task.sleep(`w-${item}`, "1s");
      return item;
    };
    const scene = createScene([mapping(20, run, { concurrency: 20 })]);
    const id = await begin(scene);
    await scene.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect([warnings, (await scene.tasks.get(id)).status]).toEqual([[], "completed"]);
  });

  it("is refused with options that mean nothing (G12)", async () => {
    const wrong: readonly [object, string][] = [
      [{ concurrency: 0 }, "concurrency must be a whole number from 1 to 1000"],
      [{ concurrency: 1_001 }, "concurrency must be"],
      [{ onFailure: "ignore" }, 'onFailure must be "stop" or "collect"'],
      [{ concurency: 2 }, 'did you mean "concurrency"'],
      [{ retry: { maxAttempts: 0 } }, "maxAttempts must be"],
    ];
    for (const [options, message] of wrong) {
      const scene = createScene([mapping(1, (item) => item, options)]);
      expect(await errorOf(scene, await begin(scene))).toMatchObject({ message: expect.stringContaining(message) });
    }
  });
});
