import { describe, expect, it } from "vitest";
import { createGate, createScene, failOnUnhandledRejections, job } from "./scene.js";

failOnUnhandledRejections();

/** Two processes; the tool waits for the gate of its call, and says which process ran it. */
function twoProcesses(here: object = {}, there: object = {}) {
  const gates = [createGate(), createGate(), createGate()];
  const tool = job(async function* (_task, n) {
    await gates[n]?.opened;
    yield { progress: 1 };
    return "done";
  });
  const limits = { pollMs: 1_000_000, recoverAfterMs: Number.POSITIVE_INFINITY };
  const one = createScene([tool], { limits: { ...limits, maxRunning: 1, ...here } });
  const other = one.another({ limits: { ...limits, ...there } });
  const call = async (n: number) => (await one.tasks.start({ tool: "job", input: { n } })).record.id;
  const workerOf = async (id: string) => (await one.store.getTask(id))?.record.worker;
  return { one, other, gates, call, workerOf };
}

describe("a call that waits for a slot", () => {
  it("runs in another process that has one, after a second, while its caller waits here", async () => {
    const { one, other, gates, call, workerOf } = twoProcesses();
    await other.engine.open();
    const [first, second] = [await call(0), await call(1)];
    await one.clock.advance(999);
    expect(await workerOf(second)).toBeUndefined();
    await one.clock.advance(1);
    await one.clock.advance(1_000);
    const worker = await workerOf(second);
    expect(worker).not.toBeUndefined();
    expect(worker).not.toBe(await workerOf(first));
    gates[1]?.open();
    await one.rest();
    expect((await one.tasks.wait(second)).record).toMatchObject({ status: "completed", attempt: 1, detached: false });
    gates[0]?.open();
    await one.rest();
    expect((await one.tasks.wait(first)).record).toMatchObject({ status: "completed", attempt: 1 });
  });

  it("runs here when no other process has one", async () => {
    const { one, other, gates, call, workerOf } = twoProcesses({}, { maxRunning: 0 });
    await other.engine.open();
    const [first, second] = [await call(0), await call(1)];
    await one.clock.advance(10_000);
    expect(await workerOf(second)).toBeUndefined();
    const worker = await workerOf(first);
    gates[0]?.open();
    await one.rest();
    expect(await workerOf(second)).toBe(worker);
  });

  it("does not run in another process when it was paused meanwhile (G8)", async () => {
    const { one, other, call, workerOf } = twoProcesses();
    await other.engine.open();
    await call(0);
    const second = await call(1);
    await one.tasks.pause(second);
    await one.clock.advance(10_000);
    expect((await one.tasks.get(second)).status).toBe("paused");
    expect(await workerOf(second)).toBeUndefined();
  });

  it("is offered once, and no more calls at a time than the process runs", async () => {
    const offers: string[] = [];
    const tool = job(async function* () {
      await new Promise(() => {});
      yield { progress: 1 };
      return "never";
    });
    const { tasks, clock } = createScene([tool], { limits: { maxRunning: 2 } }, (store) => ({
      ...store,
      signal: async (id, signal) => {
        offers.push(`${signal.kind} ${id}`);
        await store.signal(id, signal);
      },
    }));
    const ids = [];
    for (let n = 0; n < 6; n++) ids.push((await tasks.start({ tool: "job", input: { n } })).record.id);
    await clock.advance(60_000);
    expect(offers).toEqual([`offer ${ids[2]}`, `offer ${ids[3]}`]);
  });
});
