import { describe, expect, it } from "vitest";
import type { EngineLimits } from "../src/engine.js";
import { createManualClock } from "../src/testing.js";
import { createScene, failOnUnhandledRejections, historyOf, job, quick, untilAborted } from "./scene.js";

failOnUnhandledRejections();

/** A turn of six checkpoints. */
const slotTurnMs = 60;

/** The input of a task that first sleeps in place. */
const napper = -1;

/** A tool that writes a checkpoint every `stepMs` and never ends; `counted` has each of them. */
function endlessScene(limits: Partial<EngineLimits>, stepMs = 10) {
  const clock = createManualClock();
  const counted: (readonly [n: number, at: number])[] = [];
  const endless = job(async function* (task, n) {
    if (n === napper) await task.sleep("nap", 20);
    for (let { at } = task.state; ; ) {
      await new Promise<void>((resolve) => {
        clock.after(stepMs, resolve);
      });
      at += 1;
      counted.push([n, at]);
      yield { progress: at, state: { at } };
    }
  });
  return { counted, ...createScene([endless], { limits: { slotTurnMs, ...limits } }, undefined, undefined, clock) };
}

describe("slots (G11)", () => {
  it("go round among owners that have a task each that never ends, and no step is done twice (G11.6)", async () => {
    const { clock, engine, counted, rest } = endlessScene({ maxRunning: 2, maxRunningPerOwner: 2 });
    const owners = [0, 1, 2, 3, 4].map((n) => engine.forOwner(`client:${n}`));
    const tasks: { readonly n: number; readonly id: string }[] = [];
    for (const [n, owner] of owners.entries())
      tasks.push({ n, id: (await owner.start({ tool: "job", input: { n } })).record.id });
    await rest();
    expect(engine.running).toEqual([tasks[0]?.id, tasks[1]?.id]);
    // Two of five have a slot at any time.
    for (let turn = 0; turn < 10; turn++) await clock.advance(slotTurnMs + 1);
    for (const [n, owner] of owners.entries()) {
      const id = tasks[n]?.id ?? "";
      const { record } = await owner.get(id);
      const done = counted.flatMap(([of, at]) => (of === n ? [at] : []));
      expect([n, record.attempt >= 3, record.crashes]).toEqual([n, true, 0]);
      expect([n, done]).toEqual([n, done.map((_, index) => index + 1)]);
      expect(await historyOf(owner, id)).toContain("9 ended:yielded");
    }
  });

  it("stay with a task that never ends as long as no other owner waits (G11.6)", async () => {
    const { clock, engine, tasks, rest } = endlessScene({ maxRunning: 1, maxRunningPerOwner: 1 });
    const { record } = await tasks.start({ tool: "job", input: { n: 1 } });
    await tasks.start({ tool: "job", input: { n: 2 } });
    await rest();
    for (let turn = 0; turn < 5; turn++) await clock.advance(slotTurnMs);
    expect([engine.running, (await tasks.get(record.id)).record.attempt]).toEqual([[record.id], 1]);
  });

  it("stay with a tool that makes no checkpoint until its own time limit stops it (G11)", async () => {
    const stuck = job(
      async function* (task) {
        yield await untilAborted(task.signal);
        return "never";
      },
      { name: "stuck", attemptTimeout: 300 },
    );
    const limits = { maxRunning: 1, maxRunningPerOwner: 1, slotTurnMs };
    const { clock, engine, tasks, rest } = createScene([stuck, quick], { limits });
    await tasks.start({ tool: "stuck", input: {} });
    const others = engine.forOwner("client:b");
    const { record } = await others.start({ tool: "job", input: {} });
    await rest();
    await clock.advance(299);
    expect((await others.get(record.id)).status).toBe("pending");
    await clock.advance(2);
    expect((await others.get(record.id)).status).toBe("completed");
  });

  it("go round also while more tasks run than there are slots, since one waited in place (G11)", async () => {
    const { clock, engine, rest } = endlessScene({ maxRunning: 2, maxRunningPerOwner: 2 });
    for (const [who, n] of Object.entries({ a: napper, b: 1 })) {
      await engine.forOwner(`client:${who}`).start({ tool: "job", input: { n } });
    }
    await rest();
    await engine.forOwner("client:c").start({ tool: "job", input: { n: 2 } });
    await rest();
    await clock.advance(25);
    const starving = engine.forOwner("client:d");
    const { record } = await starving.start({ tool: "job", input: { n: 3 } });
    await rest();
    expect(engine.running).toHaveLength(3);
    for (let turn = 0; turn < 4; turn++) await clock.advance(slotTurnMs + 1);
    expect((await starving.get(record.id)).record.attempt).toBeGreaterThan(0);
  });

  it("are not taken for a task that another process runs while its caller waits here (G11)", async () => {
    const limits = { slotTurnMs: 3_000, maxRunning: 1, maxRunningPerOwner: 1 };
    const one = endlessScene(limits, 500);
    const other = one.another({ limits });
    await other.engine.open();
    const owner = one.engine.forOwner("client:a");
    const busy = (await owner.start({ tool: "job", input: { n: 1 } })).record.id;
    await one.rest();
    const offered = (await one.engine.forOwner("client:b").start({ tool: "job", input: { n: 2 } })).record.id;
    await one.clock.advance(20_000);
    expect([one.engine.running, other.engine.running]).toEqual([[busy], [offered]]);
    expect(await historyOf(owner, busy)).not.toContainEqual(expect.stringContaining("yielded"));
  });

  it("stay with a tool that keeps no state, which would begin again from nothing (G11)", async () => {
    const begun: number[] = [];
    const clock = createManualClock();
    const stateless = job(async function* (_task, n) {
      begun.push(n);
      for (let at = 1; at <= 20; at++) {
        await new Promise<void>((resolve) => {
          clock.after(10, resolve);
        });
        yield { progress: at, total: 20 };
      }
      return "done";
    });
    const limits = { maxRunning: 1, maxRunningPerOwner: 1, slotTurnMs };
    const { engine, tasks, rest } = createScene([stateless], { limits }, undefined, undefined, clock);
    const { record } = await tasks.start({ tool: "job", input: { n: 1 } });
    await rest();
    await engine.forOwner("client:b").start({ tool: "job", input: { n: 2 } });
    await clock.advance(500);
    expect([(await tasks.get(record.id)).status, begun]).toEqual(["completed", [1, 2]]);
  });
});
