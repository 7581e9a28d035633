import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { MemoryStore, Store } from "../src/index.js";
import {
  createGate,
  createScene,
  failOnUnhandledRejections,
  type Gate,
  gatedCount,
  historyOf,
  job,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

/** A store that says nothing of its own accord. */
const silent = (store: MemoryStore): Store => ({ ...store, watch: () => () => {} });

/** A store that holds the start of attempts back until the gate is opened. */
const slowToStart =
  (gate: Gate) =>
  (store: MemoryStore): Store => ({
    ...store,
    async commit(request) {
      if (request.events.some((event) => event.type === "attempt_started")) await gate.opened;
      return store.commit(request);
    },
  });

const patient = job(async function* (task) {
  await untilAborted(task.signal);
  yield { progress: 1 };
  return "never";
});

describe("requests that come while an attempt is being started (G8, G9)", () => {
  it("stop it as soon as it runs, without a notification (G8)", async () => {
    const gate = createGate();
    const { tasks, another, rest } = createScene([patient], {}, (store) => slowToStart(gate)(store));
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await another().store.signal(record.id, { kind: "cancel" });
    gate.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("cancelled");
  });

  it("drain it at its first checkpoint (G8)", async () => {
    const gate = createGate();
    const { tool, gates } = gatedCount(3);
    const { tasks, engine, rest } = createScene([tool], {}, slowToStart(gate));
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const drained = engine.drain();
    gate.open();
    for (const each of gates) each.open();
    await rest();
    expect(await drained).toEqual([]);
    expect((await historyOf(tasks, record.id)).at(-1)).toBe("4 ended:drained");
  });

  it("answer what the attempt before it asked (G9)", async () => {
    const gate = createGate();
    const asking = job(async function* (task) {
      const { action } = await task.ask("sure", { message: "Sure?", schema: z.object({}) });
      yield { progress: 1 };
      return action;
    });
    const first = createScene([asking]);
    const { record } = await first.tasks.start({ tool: "job", input: {} });
    await first.rest();
    first.store.kill({ noticed: true });
    const next = createScene([asking], {}, slowToStart(gate), first.store.anotherProcess(), first.clock);
    // A task that only waits is not run for nothing: its user asks for the attempt.
    await next.store.signal(record.id, { kind: "resume" });
    await next.tasks.start({ tool: "job", input: {} });
    await next.rest();
    await next.another().store.signal(record.id, { kind: "answer", key: "sure", answer: { action: "decline" } });
    gate.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).record.output).toBe("decline");
  });
});

describe("requests that a runner gets no notification of (G8, G9)", () => {
  it("are carried out at the next look, also when the tool commits nothing (G8.3)", async () => {
    const { tasks, another, rest, clock } = createScene([patient], {}, silent);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await another().tasks.cancel(record.id);
    await clock.advance(999);
    expect((await tasks.get(record.id)).status).toBe("running");
    await clock.advance(1);
    expect((await tasks.get(record.id)).status).toBe("cancelled");
  });

  it("win over the end of a question's time, if they came before it (G9.2)", async () => {
    const asking = job(async function* (task) {
      const { action } = await task.ask("sure", { message: "Sure?", schema: z.object({}), timeout: 10_000 });
      yield { progress: 1 };
      return action;
    });
    const limits = { pollMs: 60_000 };
    const { tasks, another, rest, clock } = createScene([asking], { limits }, silent);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await another().store.signal(record.id, { kind: "answer", key: "sure", answer: { action: "decline" } });
    await clock.advance(10_000);
    expect((await tasks.get(record.id)).record.output).toBe("decline");
  });
});

describe("a caller who comes while a task is being stopped for another who left (G8)", () => {
  it("lets the task go on (G8)", async () => {
    const gate = createGate();
    const { tool, gates } = gatedCount(1);
    const { tasks, rest } = createScene([tool], {}, (store) => ({
      ...store,
      async signal(id, signal) {
        if (signal.kind === "pause") await gate.opened;
        return store.signal(id, signal);
      },
    }));
    const { record } = await tasks.start({ tool: "job", input: {} });
    tasks.addWaiter(record.id)("cancelled");
    await rest();
    tasks.addWaiter(record.id);
    gate.open();
    await rest();
    gates[0]?.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});

describe("two engines on one store (G4)", () => {
  it("run each task once, and carry out each other's requests (G4.1, G8.3)", async () => {
    const { tool, gates, begun } = gatedCount(1);
    const one = createScene([tool]);
    const two = one.another();
    await Promise.all([one.engine.open(), two.engine.open()]);
    const started = await Promise.all(
      [1, 2, 3, 4].map((n) => (n % 2 ? one : two).tasks.start({ tool: "job", input: { n }, detached: true })),
    );
    await one.clock.advance(5_000);
    expect(begun).toHaveLength(4);
    expect([...one.engine.running, ...two.engine.running].sort()).toEqual(
      started.map(({ record }) => record.id).sort(),
    );
    const [first, ...others] = started.map(({ record }) => record.id);
    await two.tasks.cancel(first ?? "");
    await one.tasks.cancel(others[0] ?? "");
    for (const gate of gates) gate.open();
    await one.clock.advance(5_000);
    const statuses = await Promise.all(started.map(async ({ record }) => (await one.tasks.get(record.id)).status));
    expect(statuses).toEqual(["cancelled", "cancelled", "completed", "completed"]);
  });

  it("let the same call join one task, which continues in the other when its runner drains (G1, G7)", async () => {
    const { tool, gates } = gatedCount(2);
    const one = createScene([tool]);
    const two = one.another();
    const [a, b] = await Promise.all([one, two].map(({ tasks }) => tasks.start({ tool: "job", input: {} })));
    expect(a?.record.id).toBe(b?.record.id);
    await one.rest();
    const runner = one.engine.running.length > 0 ? one : two;
    const other = runner === one ? two : one;
    const drained = runner.engine.drain();
    for (const gate of gates) gate.open();
    await one.clock.advance(2_000);
    await drained;
    expect((await other.tasks.get(a?.record.id ?? "")).status).toBe("completed");
  });
});
