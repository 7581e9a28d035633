import { describe, expect, it } from "vitest";
import { defineTool, RetryableError, TerminalError } from "../src/index.js";
import { fixedLimits } from "../src/limits.js";
import { checkResumable, createManualClock } from "../src/testing.js";
import type { MapAttempt } from "../src/tool/tool.js";
import { base, checkpointsOf, itemsOf, mapping, numbers, type Run, slowly, type Task } from "./map-scene.js";
import {
  begin,
  createGate,
  createScene,
  errorOf,
  failOnUnhandledRejections,
  killed,
  outputOf,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

describe("task.map", () => {
  it("appends each result once, in the order of the items, and counts progress and total (G3, G6)", async () => {
    const gates = numbers(5).map(createGate);
    const run = async (item: number) => {
      await gates[item]?.opened;
      return item === 2 ? undefined : item * 10;
    };
    const scene = createScene([mapping(5, run, { concurrency: 3 })]);
    const id = await begin(scene);
    for (const last of [2, 1]) gates[last]?.open();
    await scene.rest();
    expect((await scene.tasks.get(id)).record).toMatchObject({ progress: 0, itemCount: 0 });
    gates[0]?.open();
    await scene.rest();
    // What had ended by then is one commit.
    expect(await checkpointsOf(scene, id)).toMatchObject([{ progress: 3, total: 5, items: [0, 10] }]);
    for (const gate of gates) gate.open();
    await scene.rest();
    expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([
      { completed: 5, failed: 0 },
      [0, 10, 30, 40],
    ]);
    expect((await scene.tasks.get(id)).record).toMatchObject({ progress: 5, total: 5 });
  });

  it("repeats at most what was in flight when its process dies, with the same idempotency keys (G2)", async () => {
    const runs = new Map<number, string[]>();
    const gates = numbers(10).map(createGate);
    const run = async (item: number, { idempotencyKey }: MapAttempt) => {
      runs.set(item, [...(runs.get(item) ?? []), idempotencyKey]);
      await gates[item]?.opened;
      return item;
    };
    const scene = createScene([mapping(10, run, { concurrency: 3 })]);
    const id = await begin(scene);
    for (const open of [0, 1, 3]) gates[open]?.open();
    await scene.rest();
    expect([...runs.keys()]).toEqual([0, 1, 2, 3, 4]);
    const next = await killed(scene);
    for (const gate of gates) gate.open();
    await next.clock.advance(1_000);
    expect([await outputOf(next, id), await itemsOf(next, id)]).toEqual([{ completed: 10, failed: 0 }, numbers(10)]);
    expect([...runs].map(([, keys]) => keys.length)).toEqual([1, 1, 2, 2, 2, 1, 1, 1, 1, 1]);
    for (const keys of runs.values()) expect(new Set(keys).size).toBe(1);
  });

  it.each([
    ["a list", {}],
    ["an async source", { source: slowly }],
  ])(
    "gives the same wherever its process dies between two commits: %s (G1, G2)",
    async (_name, { source }: { source?: typeof slowly }) => {
      const tool = defineTool({
        ...base,
        async *run(_input, task) {
          const first = await task.map("first", source?.(7) ?? numbers(7), (item) => item, { concurrency: 3 });
          yield { message: "half" };
          const run = async (item: number) => {
            if (item === 1) throw new Error("503");
            return await task.step(`step-${item}`, () => item * 2);
          };
          const second = await task.map("second", source?.(3) ?? numbers(3), run, { onFailure: "collect" });
          return { first, second };
        },
      });
      const { differences, items, output } = await checkResumable(tool, {});
      expect([differences, items]).toEqual([[], [...numbers(7), 0, 4]]);
      expect(output).toEqual({ first: { completed: 7, failed: 0 }, second: { completed: 2, failed: 1 } });
    },
  );

  it("asks its source for no more when the attempt stops while it reads again (G8)", async () => {
    let [hangs, asked] = [true, 0];
    async function* source({ signal }: Task) {
      for (const item of numbers(fixedLimits.mapSkipBatch + 2)) {
        if (signal.aborted) asked += 1;
        yield item;
      }
    }
    const isLast = (item: number) => item > fixedLimits.mapSkipBatch;
    const run = (item: number) => (hangs && isLast(item) ? new Promise<undefined>(() => {}) : undefined);
    const clock = createManualClock();
    let goOn = () => {};
    const after: typeof clock.after = (ms, then, keepAlive) => {
      if (hangs || ms > 0) return clock.after(ms, then, keepAlive);
      goOn = then;
      return () => {};
    };
    const scene = createScene([mapping(source, run, { concurrency: 100 })], {}, undefined, undefined, {
      ...clock,
      after,
    });
    const id = await begin(scene);
    hangs = false;
    const next = await killed(scene);
    await next.tasks.cancel(id);
    goOn();
    await next.clock.advance(1_000);
    expect([(await next.tasks.get(id)).status, asked]).toEqual(["cancelled", 0]);
  });

  it("fails when an earlier attempt had other items (G12)", async () => {
    let hangs = true;
    const source = (task: Task) => (task.attempt === 1 ? numbers(3) : [0, 7, 2]);
    const tool = mapping(source, (item) => (hangs && item === 2 ? new Promise<number>(() => {}) : item));
    const scene = createScene([tool]);
    const id = await begin(scene);
    hangs = false;
    const next = await killed(scene);
    await next.clock.advance(1_000);
    expect(await errorOf(next, id)).toMatchObject({
      code: "MAP_ITEMS_CHANGED",
      message: expect.stringContaining('The first 2 items of map "m"'),
    });
  });

  it("stops at the first failure in order, keeps what was committed, and continues there (G2, G7)", async () => {
    let well = false;
    const begun: number[] = [];
    const gate = createGate();
    const run = async (item: number) => {
      begun.push(item);
      if (item === 1) await gate.opened;
      if (item === 2 && !well) throw new Error("503");
      return item;
    };
    const scene = createScene([mapping(6, run, { concurrency: 2 })]);
    const id = await begin(scene);
    gate.open();
    await scene.rest();
    expect(await errorOf(scene, id)).toEqual({
      code: "STEP_FAILED",
      message: 'Item 2 of map "m" failed once, and its retry allows no more: 503',
    });
    expect([begun, await itemsOf(scene, id)]).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
    well = true;
    await scene.tasks.resume(id);
    await scene.rest();
    expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([{ completed: 6, failed: 0 }, numbers(6)]);
  });

  it("collects failures, and its log names them; what an item threw is hidden where errors are (F10)", async () => {
    const run = (item: number) => {
      if (item === 1) throw new Error("secret path");
      if (item === 2) throw new TerminalError("no such page", { forCaller: true });
      return item;
    };
    for (const maskErrors of [false, true]) {
      const scene = createScene([mapping(4, run, { onFailure: "collect" })], { maskErrors });
      const id = await begin(scene);
      expect([await outputOf(scene, id), await itemsOf(scene, id)]).toEqual([{ completed: 2, failed: 2 }, [0, 3]]);
      const lines: unknown[] = [];
      for await (const { kind, ...entry } of scene.tasks.follow(id))
        if (kind === "event" && "event" in entry && entry.event.type === "log") lines.push(entry.event.data);
      expect(lines).toEqual([
        `Item 1 of map "m" failed: ${maskErrors ? `The tool failed. The server's log says why, under ${id}.` : "secret path"}`,
        'Item 2 of map "m" failed: no such page',
      ]);
    }
  });

  it("gives an item that runs again what the steps in it gave, and refuses a key that items share (G2)", async () => {
    const made: string[] = [];
    const run: Run = async (item, { attempt }, task) => {
      const place = await task.step(`reserve-${item}`, () => made.push(`reserved ${item}`));
      if (attempt === 1) throw new Error("503");
      return Number(place);
    };
    const retry = { maxAttempts: 3, initialDelay: "1s" } as const;
    const scene = createScene([mapping(2, run, { retry, concurrency: 2 })]);
    const id = await begin(scene);
    await scene.clock.advance(10_000);
    expect([await itemsOf(scene, id), made]).toEqual([
      [1, 2],
      ["reserved 0", "reserved 1"],
    ]);

    const shared: Run = async (item, _attempt, task) => Number(await task.step("reserve", () => item));
    const other = createScene([mapping(2, shared, { retry })]);
    const failed = await begin(other);
    await other.clock.advance(10_000);
    expect(await errorOf(other, failed)).toMatchObject({ code: "STEP_KEY_REUSED" });
  });

  it("tries an item again as retry says, and after its timeout; a refused result ends it (G12)", async () => {
    const made: string[] = [];
    const run: Run = async (item, { attempt, signal }) => {
      made.push(`${item}/${attempt}`);
      if (item === 0 && attempt < 3) throw new Error("503");
      if (item === 1 && attempt === 1) throw new RetryableError("429", { delay: "3s" });
      if (item === 2 && attempt === 1) await untilAborted(signal);
      return item === 3 ? Number.NaN : item;
    };
    const retry = { maxAttempts: 3, initialDelay: "1s" } as const;
    const scene = createScene([mapping(5, run, { retry, timeout: "5s" })]);
    const id = await begin(scene);
    await scene.clock.advance(20_000);
    expect(made).toEqual(["0/1", "0/2", "0/3", "1/1", "1/2", "2/1", "2/2", "3/1"]);
    expect(await errorOf(scene, id)).toMatchObject({ code: "INVALID_VALUE" });
  });

  it("adds up the progress of maps, one after the other and at the same time (G6)", async () => {
    const tool = defineTool({
      ...base,
      async *run(_input, task) {
        yield { progress: 2, total: 2 };
        await task.map("a", numbers(3), (item) => item);
        await Promise.all([task.map("b", numbers(4), (item) => item), task.map("c", slowly(3), (item) => item)]);
        await task.map("d", [], () => 1);
        return (await task.map("e", slowly(2), () => undefined)).completed;
      },
    });
    const scene = createScene([tool]);
    const id = await begin(scene);
    const shown = (await checkpointsOf(scene, id)).flatMap(({ progress }) => progress ?? []);
    expect(shown).toEqual([...new Set(shown)].sort((a, b) => a - b));
    const { record } = await scene.tasks.get(id);
    expect([record.output, record.progress, record.total, record.itemCount]).toEqual([2, 14, 14, 10]);
  });
});
