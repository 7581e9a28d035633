import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

/** A tool that never comes to a checkpoint. */
const stuck = job(async function* () {
  await new Promise(() => {});
  yield { progress: 1 };
  return "never";
});

describe("a process that dies", () => {
  it("leaves an orphan that waits for its caller to return, and goes on from its last checkpoint then (G1, G2)", async () => {
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

  it.each(["handed over", "recover: all"])("leaves tasks that go on by themselves: %s (G1)", async (how) => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: how === "handed over" });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another(how === "handed over" ? {} : { recover: "all" });
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("lets a task that was handed over go on as soon as its owner looks at it, though nobody opened the engine (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another();
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("hands over a running task durably, also when it was started for a plain call (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    await tasks.handOver(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.recover).toBe("auto");
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

  it("ends with CRASH_LOOP after three deaths without progress, each attempt later than the last, and can be resumed (G12)", async () => {
    const scene = createScene([stuck], { limits: { crashBackoffMs: 1_000 } });
    const { record } = await scene.tasks.start({ tool: "job", input: {}, handedOver: true });
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
      record: { attempt: 3, error: { code: "CRASH_LOOP" } },
    });
    await current.tasks.resume(record.id);
    await current.rest();
    expect(await current.tasks.get(record.id)).toMatchObject({
      status: "running",
      record: { generation: 2, crashes: 0 },
    });
  });

  it("runs a suspect alone until it made progress, or until its time alone is over (G12)", async () => {
    const { tool, gates } = gatedCount(2);
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const limits = { crashBackoffMs: 0, aloneMs: 30_000 };
    const { tasks, store, rest, another } = createScene([tool, other], { limits });
    const first = await tasks.start({ tool: "job", input: { n: 1 }, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    expect(next.engine.running).toEqual([first.record.id]);
    const second = await next.tasks.start({ tool: "other", input: {} });
    await next.rest();
    expect((await next.tasks.get(second.record.id)).status).toBe("pending");
    gates[0]?.open();
    await next.rest();
    expect((await next.tasks.get(second.record.id)).status).toBe("completed");
    next.store.kill({ noticed: true });
  });

  it("does not let a suspect keep others waiting for longer than aloneMs (G12)", async () => {
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const { tasks, store, rest, another, clock } = createScene([stuck, other], {
      limits: { crashBackoffMs: 0, aloneMs: 30_000 },
    });
    await tasks.start({ tool: "job", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    const { record } = await next.tasks.start({ tool: "other", input: {} });
    await clock.advance(29_000);
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await clock.advance(1_000);
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });
});
