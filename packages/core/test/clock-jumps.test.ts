import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

const hourMs = 3_600_000;
const jumps = [
  ["on", hourMs],
  ["back", -hourMs],
] as const;

describe("a wall clock that is set", () => {
  it.each(jumps)("an hour %s takes no running task from its worker (G4)", async (_, jumpMs) => {
    const { tool, gates, begun } = gatedCount(3);
    const { tasks, clock, rest, another, errors } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
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

  it.each(jumps)("an hour %s lets a wait end when that clock shows its end (G2)", async (_, jumpMs) => {
    const tool = job(async function* (task) {
      await task.sleep("nap", 20_000);
      yield { progress: 1 };
      return "done";
    });
    const { tasks, clock, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
    await rest();
    clock.jump(jumpMs);
    await clock.advance(32_000);
    expect((await tasks.get(record.id)).status).toBe(jumpMs > 0 ? "completed" : "pending");
    if (jumpMs < 0) clock.jump(hourMs);
    await clock.advance(2_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it.each(jumps)("an hour %s lets a task whose process died go on (G1)", async (_, jumpMs) => {
    const { tool, gates } = gatedCount(1);
    const { tasks, store, rest, another, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    clock.jump(jumpMs);
    const next = another();
    await next.engine.open();
    for (const gate of gates) gate.open();
    await clock.advance(5_000);
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("an hour back keeps finished tasks for that long, and an hour on sweeps no unfinished one", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, clock, rest, engine } = createScene([tool], { limits: { ttlMs: hourMs } });
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
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
