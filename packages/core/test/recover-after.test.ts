import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { RecoveryCounts } from "../src/engine.js";
import { type EngineOptions, RetryableError } from "../src/index.js";
import { createScene, failOnUnhandledRejections, gatedCount, job, stuck } from "./scene.js";

failOnUnhandledRejections();

describe("a task whose caller was connected when its process died", () => {
  const limits = { recoverAfterMs: 30_000 };
  const hourMs = 3_600_000;
  /** Looks that find nothing are worth nothing here. */
  const seldom = { pollMs: hourMs / 4 };
  /** A task that was killed at 1 of 3, and whose next attempts make the rest at once. */
  async function killedAtOne(options: Partial<EngineOptions> = { limits }) {
    const { tool, gates, begun } = gatedCount(3);
    const scene = createScene([tool], options);
    const { record } = await scene.tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await scene.rest();
    const kill = (noticed = true) => {
      scene.store.kill({ noticed });
      for (const gate of gates) gate.open();
    };
    return { ...scene, id: record.id, begun, kill };
  }

  it("resumes by itself after recoverAfterMs, from its last checkpoint (G1.2, G2)", async () => {
    const { id, begun, kill, another, clock } = await killedAtOne();
    kill();
    const next = another();
    await next.engine.open();
    await clock.advance(29_999);
    expect((await next.tasks.get(id)).status).toBe("pending");
    await clock.advance(1);
    expect((await next.tasks.get(id)).status).toBe("completed");
    expect((await next.tasks.items(id)).items).toEqual([1, 2, 3]);
    expect(begun).toEqual([0, 1]);
  });

  it("resumes also in a process that lived all the time, and in exactly one of two (G1, G4)", async () => {
    const { id, begun, kill, another, clock } = await killedAtOne();
    const others = [another(), another()];
    for (const other of others) await other.engine.open();
    await clock.advance(60_000);
    kill();
    await clock.advance(29_000);
    expect((await others[0]?.tasks.get(id))?.status).toBe("pending");
    await clock.advance(2_000);
    expect((await others[1]?.tasks.get(id))?.status).toBe("completed");
    expect(begun).toEqual([0, 1]);
  });

  it("counts the time from when a living process notices the death (G1)", async () => {
    const { id, begun, kill, another, clock } = await killedAtOne({ limits: { ...limits, leaseTtlMs: 100_000 } });
    const next = another();
    await next.engine.open();
    await clock.advance(10_000);
    kill(false);
    await clock.advance(120_000);
    expect([(await next.tasks.get(id)).status, begun]).toEqual(["pending", [0]]);
    await clock.advance(15_000);
    expect([(await next.tasks.get(id)).status, begun]).toEqual(["completed", [0, 1]]);
  });

  it("counts the time by the monotonic clock (G1)", async () => {
    const { id, kill, another, clock } = await killedAtOne();
    kill();
    const next = another();
    await next.engine.open();
    clock.jump(3_600_000);
    await clock.advance(29_999);
    expect((await next.tasks.get(id)).status).toBe("pending");
    clock.jump(-7_200_000);
    await clock.advance(1);
    expect((await next.tasks.get(id)).status).toBe("completed");
  });

  it("resumes only on request where recoverAfterMs is Infinity (G1)", async () => {
    const { id, kill, another, clock } = await killedAtOne({
      limits: { ...seldom, recoverAfterMs: Number.POSITIVE_INFINITY },
    });
    kill();
    const next = another();
    await next.engine.open();
    await clock.advance(hourMs / 6);
    expect((await next.tasks.get(id)).status).toBe("pending");
    await next.tasks.resume(id);
    await next.rest();
    expect((await next.tasks.get(id)).status).toBe("completed");
  });

  it.each(["its user", "the policy for callers that leave"])(
    "stays paused where %s paused it (G1.2, G8)",
    async (who) => {
      const { id, kill, another, clock, tasks, rest, begun } = await killedAtOne({ limits: { ...limits, ...seldom } });
      if (who === "its user") await tasks.pause(id);
      else tasks.addWaiter(id)("cancelled");
      await rest();
      kill();
      const next = another();
      await next.engine.open();
      await clock.advance(hourMs / 6);
      expect((await next.tasks.get(id)).status).toBe("paused");
      expect(begun).toEqual([0]);
    },
  );

  it("resumes after its sleep or its backoff, by the same rule (G1)", async () => {
    const tool = job(async function* (task, n) {
      if (n === 1) await task.sleep("nap", 120_000);
      else if (task.attempt === 1) throw new RetryableError("busy", { delay: 120_000 });
      yield { progress: 1 };
      return "done";
    });
    const { tasks, store, rest, another, clock } = createScene([tool], { limits: { ...limits, waitInPlaceMs: 0 } });
    const ids = await Promise.all(
      [1, 2].map(async (n) => (await tasks.start({ tool: "job", input: { n } })).record.id),
    );
    await rest();
    store.kill({ noticed: true });
    const next = another();
    const statuses = async () => Promise.all(ids.map(async (id) => (await next.tasks.get(id)).status));
    await next.engine.open();
    await clock.advance(120_000);
    expect(await statuses()).toEqual(["pending", "pending"]);
    await clock.advance(30_000);
    expect(await statuses()).toEqual(["completed", "completed"]);
  });

  it("waits for its answer as long as that takes, and resumes at once when it is there (G9)", async () => {
    const tool = job(async function* (task) {
      const { action } = await task.ask("go", { message: "Go?", schema: z.object({}) });
      yield { progress: 1 };
      return action;
    });
    const { tasks, store, rest, another, clock } = createScene([tool], {
      limits: { ...limits, ...seldom, waitInPlaceMs: 0 },
    });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await clock.advance(hourMs / 6);
    expect((await next.tasks.get(record.id)).status).toBe("input_required");
    await next.tasks.answer(record.id, "go", { action: "decline" });
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("does not keep detached tasks from being found, however many of them wait (G10)", async () => {
    const { tasks, rest, another, store } = createScene([stuck], { limits: { maxRunning: 0, lookBatch: 2 } });
    for (const n of [1, 2, 3, 4, 5]) await tasks.start({ tool: "job", input: { n } });
    const last = await tasks.start({ tool: "job", input: { n: 6 }, detached: true });
    await rest();
    store.kill({ noticed: true });
    const next = another({ limits: { lookBatch: 2 } });
    await next.engine.open();
    await next.clock.advance(10_000);
    expect(next.engine.running).toEqual([last.record.id]);
  });
});

describe("an engine that opens", () => {
  it("says how many tasks resume now, later, or only on request, and counts no task that a process runs (G1)", async () => {
    const { tool } = gatedCount(3);
    const { tasks, rest, another, store } = createScene([tool], { limits: { maxRunning: 3 } });
    const start = async (n: number, detached: boolean) =>
      (await tasks.start({ tool: "job", input: { n }, detached })).record.id;
    const paused = await start(1, true);
    await start(2, true);
    await start(3, false);
    await start(4, false);
    await tasks.pause(paused);
    await rest();
    const counts = async (recoverAfterMs: number) => {
      const heard: RecoveryCounts[] = [];
      const { engine } = another({ limits: { recoverAfterMs, maxRunning: 0 }, onOpened: (found) => heard.push(found) });
      await engine.open();
      return heard;
    };
    expect(await counts(30_000)).toEqual([{ now: 0, later: 1, onRequest: 0, more: false }]);
    store.kill({ noticed: true });
    expect(await counts(30_000)).toEqual([{ now: 1, later: 2, onRequest: 1, more: false }]);
    expect(await counts(0)).toEqual([{ now: 3, later: 0, onRequest: 1, more: false }]);
    expect(await counts(Number.POSITIVE_INFINITY)).toEqual([{ now: 1, later: 0, onRequest: 3, more: false }]);
  });
});
