import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, historyOf, job, stuck } from "./scene.js";

failOnUnhandledRejections();

describe("a process that dies", () => {
  it("leaves an orphan that waits for its caller to return, and continues from its last checkpoint then (G1, G2)", async () => {
    const { tool, gates, begun } = gatedCount(3);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    for (const gate of gates) gate.open();
    const next = another();
    await next.engine.open();
    await next.rest();
    expect(await next.tasks.get(record.id)).toMatchObject({ status: "pending", interrupted: true });
    expect(begun).toEqual([0]);
    const { created, record: found } = await next.tasks.start({ tool: "job", input: {} });
    await next.rest();
    expect({ created, id: found.id }).toEqual({ created: false, id: record.id });
    expect((await next.tasks.items(record.id)).items).toEqual([1, 2, 3]);
    expect(begun).toEqual([0, 1]);
  });

  it.each(["detached", "recoverAfterMs: 0"])("leaves tasks that resume at once: %s (G1.2)", async (how) => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: how === "detached" });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another(how === "detached" ? {} : { limits: { recoverAfterMs: 0 } });
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("resumes a detached task as soon as its owner reads it, though the engine was not opened (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another();
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("detaches a running task durably, also when it was started for a plain call (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    await tasks.detach(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.detached).toBe(true);
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another();
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("shows an orphan going on to a caller who came back before its death was noticed (G1, G4)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another, clock } = createScene([tool], { limits: { leaseTtlMs: 3_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: false });
    gates[1]?.open();
    const next = another();
    const waited = next.tasks.wait(record.id);
    await clock.advance(2_000);
    expect((await next.tasks.get(record.id)).status).toBe("running");
    await clock.advance(3_000);
    expect(await waited).toMatchObject({ reason: "finished", status: "completed" });
    expect(await historyOf(next.tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 checkpoint",
      "4 ended:crashed",
      "5 attempt_started",
      "6 checkpoint",
      "7 completed",
    ]);
  });

  it("carries a cancellation out when the death of its runner is noticed (G8)", async () => {
    const { tasks, store, rest, another, clock } = createScene([stuck], { limits: { leaseTtlMs: 3_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    store.kill({ noticed: false });
    const next = another();
    await next.tasks.cancel(record.id);
    await clock.advance(5_000);
    expect((await next.tasks.get(record.id)).status).toBe("cancelled");
  });

  it("ends with CRASH_LOOP after three deaths without progress, each attempt later than the last, and can be resumed (G12.4)", async () => {
    const scene = createScene([stuck], { limits: { crashBackoffMs: 1_000 } });
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    await scene.rest();
    let current = scene;
    for (const backoffMs of [1_000, 2_000]) {
      current.store.kill({ noticed: true });
      current = current.another();
      await current.engine.open();
      await current.clock.advance(backoffMs - 1);
      expect((await current.tasks.get(record.id)).status).toBe("pending");
      await current.clock.advance(1);
      expect((await current.tasks.get(record.id)).status).toBe("running");
    }
    current.store.kill({ noticed: true });
    current = current.another();
    await current.engine.open();
    await current.rest();
    expect(await current.tasks.get(record.id)).toMatchObject({
      status: "failed",
      // Stored for every server, whatever its control tools are called: how the task continues is said where it is shown.
      record: { attempt: 3, error: { code: "CRASH_LOOP", message: expect.not.stringMatching(/[a-z]_task/) } },
    });
    await current.tasks.resume(record.id);
    await current.rest();
    expect(await current.tasks.get(record.id)).toMatchObject({
      status: "running",
      record: { generation: 2, crashes: 0 },
    });
  });

  it("runs a suspect next to others, and keeps no new task waiting for it (G10, G12)", async () => {
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const { tasks, store, rest, another } = createScene([stuck, other], { limits: { crashBackoffMs: 0 } });
    const suspect = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    expect(next.engine.running).toEqual([suspect.record.id]);
    const { record } = await next.tasks.start({ tool: "other", input: {} });
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("tries suspects in smaller groups with each death, and the next group when that trial is over (G12)", async () => {
    const limits = { maxRunning: 4, trialMs: 30_000, crashBackoffMs: 0 };
    let current = createScene([stuck], { limits });
    const ids: string[] = [];
    for (const n of [0, 1])
      ids.push((await current.tasks.start({ tool: "job", input: { n }, detached: true })).record.id);
    await current.rest();
    const groups: number[] = [];
    for (let deaths = 1; deaths <= 2; deaths++) {
      current.store.kill({ noticed: true });
      current = current.another();
      await current.engine.open();
      await current.clock.advance(5_000);
      groups.push(current.engine.running.length);
    }
    expect(groups).toEqual([2, 1]);
    await current.clock.advance(120_000);
    expect(current.engine.running).toHaveLength(2);
  });
});
