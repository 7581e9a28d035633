import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { MemoryStore, Store, TaskContext } from "../src/index.js";
import { createScene, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

type Job = TaskContext<{ at: number }, number>;
const hourMs = 3_600_000;
const question = { message: "Sure?", schema: z.object({}) };

async function failsOnce(task: Job): Promise<void> {
  if (task.attempt === 1) throw new Error("The service is down.");
}
const jumps = [
  ["on", hourMs],
  ["back", -hourMs],
] as const;

describe("a wall clock that is set", () => {
  it.each(jumps)("an hour %s takes no running task from its worker (G4)", async (_, jumpMs) => {
    const { tool, gates, begun } = gatedCount(3);
    const { tasks, clock, rest, another, errors } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    const other = another();
    await other.engine.open();
    for (const gate of gates) {
      clock.jump(jumpMs);
      await clock.advance(10_000);
      gate.open();
      await rest();
    }
    expect(begun).toEqual([0]);
    expect([...errors, ...other.errors]).toEqual([]);
    expect(await historyOf(tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 checkpoint",
      "4 checkpoint",
      "5 checkpoint",
      "6 completed",
    ]);
  });

  const hour = { limits: { pollMs: 10_000, heartbeatMs: 60_000, leaseTtlMs: 180_000 } };
  const waits = [
    ["a sleep in place", (task: Job) => task.sleep("nap", 6_000), 6_000],
    ["a sleep without a slot", (task: Job) => task.sleep("nap", 600_000), 600_000],
    ["a question in place", (task: Job) => task.ask("sure", { ...question, timeout: 6_000 }), 6_000],
    ["a question without a slot", (task: Job) => task.ask("sure", { ...question, timeout: 600_000 }), 600_000],
    ["a retry", failsOnce, 6_000],
  ] as const;
  it.each(jumps.flatMap(([how, jumpMs]) => waits.map((wait) => [how, ...wait, jumpMs] as const)))(
    "an hour %s ends %s neither earlier nor later (G2, G9.5)",
    async (_how, _what, wait, waitMs, jumpMs) => {
      const tool = job(
        async function* (task) {
          await wait(task);
          yield { progress: 1 };
          return "done";
        },
        { retry: { maxAttempts: 2, initialDelay: 6_000 } },
      );
      const { tasks, clock, rest } = createScene([tool], hour);
      const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
      await rest();
      clock.jump(jumpMs);
      await clock.advance(waitMs - 1);
      expect((await tasks.get(record.id)).status).not.toBe("completed");
      await clock.advance(1);
      expect((await tasks.get(record.id)).status).toBe("completed");
    },
  );

  it.each(jumps.flatMap(([how, jumpMs]) => waits.map((wait) => [how, ...wait, jumpMs] as const)))(
    "an hour %s while it is written ends %s neither earlier nor later (G9)",
    async (_how, _what, wait, waitMs, jumpMs) => {
      const tool = job(
        async function* (task) {
          await wait(task);
          yield { progress: 1 };
          return "done";
        },
        { retry: { maxAttempts: 2, initialDelay: 6_000 } },
      );
      const jumpOnce = { left: 1 };
      const { tasks, clock, rest } = createScene([tool], hour, (store) => {
        const commit: Store["commit"] = async (given) => {
          const begins = given.events.some(({ type }) => ["sleep", "asked", "attempt_ended"].includes(type));
          if (begins && jumpOnce.left-- > 0) clock.jump(jumpMs);
          return store.commit(given);
        };
        return Object.assign(Object.create(store), { commit });
      });
      const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
      await rest();
      await clock.advance(waitMs - 1);
      expect((await tasks.get(record.id)).status).not.toBe("completed");
      await clock.advance(1);
      expect((await tasks.get(record.id)).status).toBe("completed");
    },
  );

  it("an hour back lets no sleep begin again that is over, in a later attempt of the same process (G2)", async () => {
    const tool = job(
      async function* (task) {
        await task.sleep("nap", 6_000);
        await failsOnce(task);
        yield { progress: 1 };
        return "done";
      },
      { retry: { maxAttempts: 2, initialDelay: 1_000 } },
    );
    const { tasks, clock, rest } = createScene([tool], hour);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    clock.jump(-hourMs);
    await clock.advance(7_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("an hour on does not let a question expire that has time left (G9)", async () => {
    const tool = job(async function* (task) {
      await task.ask("sure", { ...question, timeout: 600_000 });
      yield { progress: 1 };
      return "done";
    });
    const { tasks, clock, engine } = createScene([tool], hour);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await clock.advance(60_000);
    clock.jump(hourMs);
    await tasks.answer(record.id, "sure", { action: "decline" });
    await clock.advance(0);
    expect([engine.running, (await tasks.get(record.id)).record.output]).toEqual([[], "done"]);
  });

  it.each(jumps)("an hour %s lets a task whose process died go on (G1)", async (_, jumpMs) => {
    const { tool, gates } = gatedCount(1);
    const { tasks, store, rest, another, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    store.kill({ noticed: true });
    clock.jump(jumpMs);
    const next = another();
    await next.engine.open();
    for (const gate of gates) gate.open();
    await clock.advance(5_000);
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("an hour back delays no wait that another process takes over, and adds few looks (G9)", async () => {
    const nap = job(async function* (task) {
      await task.sleep("nap", 60_000);
      yield { progress: 1 };
      return "done";
    });
    const limits = { pollMs: 1_000, waitInPlaceMs: 1_000, recoverAfterMs: 0 };
    const { tasks, clock, rest, engine, store } = createScene([nap], { limits });
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    let looks = 0;
    const counted = (inner: MemoryStore): Store => ({
      ...inner,
      listRunnable: (request) => {
        looks += 1;
        return inner.listRunnable(request);
      },
    });
    const other = createScene([nap], { limits }, counted, store.anotherProcess(), clock);
    await other.engine.open();
    await engine.close();
    clock.jump(-hourMs);
    await clock.advance(59_999);
    expect((await other.tasks.get(record.id)).status).not.toBe("completed");
    await clock.advance(1);
    expect((await other.tasks.get(record.id)).status).toBe("completed");
    await clock.advance(60_000);
    expect(looks).toBeLessThan(250);
  });

  it.each([
    ["back", -300_000, 900_000],
    ["on", 300_000, 300_000],
  ] as const)(
    "five minutes %s while no process runs end a wait of ten by as much later or earlier (G9.5)",
    async (_how, jumpMs, leftMs) => {
      const nap = job(async function* (task) {
        await task.sleep("nap", 600_000);
        yield { progress: 1 };
        return "done";
      });
      const { tasks, store, clock, rest, another } = createScene([nap], hour);
      const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
      await rest();
      store.kill({ noticed: true });
      clock.jump(jumpMs);
      const next = another();
      await next.engine.open();
      await clock.advance(leftMs - 1);
      expect((await next.tasks.get(record.id)).status).not.toBe("completed");
      await clock.advance(1);
      expect((await next.tasks.get(record.id)).status).toBe("completed");
    },
  );

  it("an hour back keeps finished tasks for that long, and an hour on sweeps no unfinished one", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, clock, rest, engine } = createScene([tool], { limits: { ttlMs: hourMs } });
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    clock.jump(2 * hourMs);
    expect(await engine.sweep()).toBe(0);
    for (const gate of gates) gate.open();
    await rest();
    clock.jump(-hourMs);
    expect(await engine.sweep()).toBe(0);
    clock.jump(2 * hourMs - 1);
    expect(await engine.sweep()).toBe(0);
    clock.jump(1);
    expect(await engine.sweep()).toBe(1);
    await expect(tasks.get(record.id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });
});
