import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type Json, type MemoryStore, type Store } from "../src/index.js";
import { createScene, failOnUnhandledRejections, gatedCount, job } from "./scene.js";

failOnUnhandledRejections();

const quick = job(async function* () {
  yield { progress: 1 };
  return "done";
});
const start = { tool: "job", input: {} };

describe("the same call (G7)", () => {
  it("joins the task that runs, also where defaults are left out, and another call does not (G7.1)", async () => {
    const { tool } = gatedCount(1);
    const { tasks } = createScene([tool]);
    const first = await tasks.start({ tool: "job", input: { n: 0 } });
    const same = await tasks.start({ tool: "job", input: {} });
    const other = await tasks.start({ tool: "job", input: { n: 1 } });
    expect([first.created, same.created, other.created]).toEqual([true, false, true]);
    expect(same).toMatchObject({ record: { id: first.record.id }, reused: false });
    expect(other.record.id).not.toBe(first.record.id);
  });

  it("resumes a paused task (G7.1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    await tasks.pause(record.id);
    gates[0]?.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    gates[1]?.open();
    expect((await tasks.start(start)).record.id).toBe(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("gets a completed task until it was delivered or too old (G7.2)", async () => {
    const { tasks, rest, clock } = createScene([quick], { limits: { reuseResultMs: 60_000 } });
    const first = await tasks.start(start);
    await rest();
    const again = await tasks.start(start);
    expect(again).toMatchObject({ created: false, reused: true, record: { id: first.record.id, output: "done" } });
    await tasks.markDelivered(first.record.id);
    const second = await tasks.start(start);
    expect(second).toMatchObject({ created: true, reused: false });
    await rest();
    await clock.advance(60_000);
    expect(await tasks.start(start)).toMatchObject({ created: true, reused: false });
  });

  it("gets a completed task again when the note that it was delivered is withdrawn (G7)", async () => {
    const { tasks, rest } = createScene([quick]);
    const first = await tasks.start(start);
    await rest();
    await tasks.markDelivered(first.record.id);
    await tasks.withdrawDelivered(first.record.id);
    expect(await tasks.start(start)).toMatchObject({ created: false, reused: true, record: { id: first.record.id } });
    await tasks.markDelivered(first.record.id);
    expect(await tasks.start(start)).toMatchObject({ created: true, reused: false });
  });

  it("begins a new task when a withdrawn note is made again (G7)", async () => {
    const { tasks, rest } = createScene([quick]);
    const first = await tasks.start(start);
    await rest();
    await tasks.markDelivered(first.record.id);
    await tasks.withdrawDelivered(first.record.id);
    await tasks.markDelivered(first.record.id);
    expect(await tasks.start(start)).toMatchObject({ created: true, reused: false });
  });

  it("goes by the notes about results that are being written when it comes (G7)", async () => {
    const { tasks, rest } = createScene([quick]);
    const first = await tasks.start(start);
    await rest();
    const withdrawn = [tasks.markDelivered(first.record.id), tasks.withdrawDelivered(first.record.id)];
    expect(await tasks.start(start)).toMatchObject({ created: false, record: { id: first.record.id } });
    const delivered = tasks.markDelivered(first.record.id);
    expect(await tasks.start(start)).toMatchObject({ created: true });
    await Promise.all([...withdrawn, delivered]);
  });

  it("gives a call that is begun again what the same call came to since it was accepted, delivered or not (G7)", async () => {
    const { tasks, rest, clock } = createScene([quick], { limits: { reuseResultMs: 0 } });
    const earlier = { ...start, callId: "a-call-that-is-begun-again", acceptedMs: clock.wallMs(), redelivered: true };
    await clock.advance(5_000);
    const first = await tasks.start(start);
    await rest();
    await tasks.markDelivered(first.record.id);
    await clock.advance(20_000);
    const again = await tasks.start(earlier);
    expect(again).toMatchObject({ created: false, reused: true, record: { id: first.record.id, output: "done" } });
    const later = { ...earlier, acceptedMs: clock.wallMs() };
    expect(await tasks.start(later)).toMatchObject({ created: true, reused: false });
  });

  it("gives a call that is begun again after the clock was set back what the same call came to (G7)", async () => {
    const { tasks, rest, clock } = createScene([quick]);
    const first = await tasks.start(start);
    await rest();
    await tasks.markDelivered(first.record.id);
    const acceptedMs = clock.wallMs() + 1;
    clock.jump(-3_600_000);
    const again = await tasks.start({ ...start, acceptedMs, redelivered: true });
    expect(again).toMatchObject({ created: false, record: { id: first.record.id } });
    clock.jump(3_600_001);
    const later = { ...start, acceptedMs: clock.wallMs(), redelivered: true };
    expect(await tasks.start(later)).toMatchObject({ created: true });
  });

  it("gives a call that stood still in its process what the same call came to meanwhile, and no earlier result (G7.8)", async () => {
    const { tasks, rest, clock } = createScene([quick]);
    const run = async () => {
      const { record } = await tasks.start(start);
      await rest();
      await tasks.markDelivered(record.id);
      return record.id;
    };
    const before = await run();
    const acceptedMs = clock.wallMs();
    await clock.advance(1);
    const first = await run();
    expect(first).not.toBe(before);
    await clock.advance(998);
    // It comes at once, as far as a server can know.
    const second = await tasks.start({ ...start, acceptedMs });
    expect(second.created).toBe(true);
    await rest();
    await tasks.markDelivered(second.record.id);
    await clock.advance(1);
    expect(await tasks.start({ ...start, acceptedMs })).toMatchObject({
      reused: true,
      record: { id: second.record.id },
    });
    const late = { ...start, acceptedMs: clock.wallMs() };
    await clock.advance(60_000);
    expect(await tasks.start(late)).toMatchObject({ created: true });
  });

  it("begins a new task after a cancellation, and after a failure where the tool says so (G7)", async () => {
    const tool = job(
      // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
      async function* () {
        throw new Error("no");
      },
      { onFailure: "restart" },
    );
    const { tasks, rest } = createScene([tool]);
    const first = await tasks.start(start);
    await rest();
    const second = await tasks.start(start);
    await tasks.cancel(second.record.id);
    await rest();
    const third = await tasks.start(start);
    expect(new Set([first, second, third].map(({ record }) => record.id)).size).toBe(3);
  });

  it("runs again where the call asks for it, and joins a run that has a name (G7.7)", async () => {
    const { tool } = gatedCount(1);
    const { tasks } = createScene([tool]);
    const ids: string[] = [];
    for (const newTask of [false, true, true, "tuesday", "tuesday", "friday"]) {
      ids.push((await tasks.start({ ...start, newTask })).record.id);
    }
    const other = await tasks.start({ tool: "job", input: { n: 1 }, newTask: "tuesday" });
    expect(new Set(ids).size).toBe(5);
    expect(ids[3]).toBe(ids[4]);
    expect(ids).not.toContain(other.record.id);
  });

  it("means what the tool's key says (G7)", async () => {
    const keyed = (name: string, key: (input: { city: string; unit: string }) => Json | null) =>
      defineTool({
        name,
        description: "Has a key of its own.",
        input: z.object({ city: z.string(), unit: z.string().default("km") }),
        key,
        run: () => new Promise<string>(() => {}),
      });
    const { tasks } = createScene([
      keyed("by_city", ({ city }) => city),
      keyed("never", () => null),
      keyed("wrong", () => undefined as never),
    ]);
    const idOf = async (tool: string, input: Json, newTask?: string) =>
      (await tasks.start({ tool, input, ...(newTask === undefined ? {} : { newTask }) })).record.id;
    const rome = { city: "Rome" };
    expect(await idOf("by_city", rome)).toBe(await idOf("by_city", { ...rome, unit: "mi" }));
    expect(await idOf("by_city", rome)).not.toBe(await idOf("by_city", { city: "Oslo" }));
    expect(await idOf("never", rome)).not.toBe(await idOf("never", rome));
    expect(await idOf("never", rome, "run")).toBe(await idOf("never", rome, "run"));
    expect(await idOf("never", rome, "run")).not.toBe(await idOf("never", { city: "Oslo" }, "run"));
    await expect(idOf("wrong", rome)).rejects.toMatchObject({ code: "NOT_JSON" });
  });

  it("refuses to restart a failed task while another has its call (G7)", async () => {
    const tool = job(
      async function* (task) {
        if (task.attempt === 1 && task.state.at === 0) yield { progress: 1, state: { at: 1 } };
        throw new Error("no");
      },
      { onFailure: "restart" },
    );
    const { tasks, rest } = createScene([tool], { limits: { maxRunning: 1 } });
    const first = await tasks.start(start);
    await rest();
    await tasks.start(start);
    await expect(tasks.resume(first.record.id)).rejects.toMatchObject({ code: "KEY_TAKEN" });
    await rest();
  });
});

describe("a call with an id (G7)", () => {
  const callId = "call-0123456789abcdef";

  it("finds the same task whenever it is delivered again, whatever became of the task (G7.6)", async () => {
    const { tasks, rest } = createScene([quick]);
    const first = await tasks.start({ ...start, callId, newTask: true });
    expect(first.record.id).toBe(callId);
    await rest();
    await tasks.markDelivered(callId);
    expect(await tasks.start({ ...start, callId, newTask: true })).toMatchObject({ created: false, reused: true });
  });

  it("gets a task of its own where the id is taken by another owner or another tool (G7, G10)", async () => {
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const { tasks, engine } = createScene([quick, other]);
    await tasks.start({ ...start, callId });
    const foreign = await engine.forOwner("client:b").start({ ...start, callId });
    expect(foreign).toMatchObject({ created: true, record: { owner: "client:b" } });
    const wrongTool = await tasks.start({ tool: "other", input: {}, callId });
    expect(wrongTool).toMatchObject({ created: true, record: { tool: "other" } });
    expect([foreign, wrongTool].map(({ record }) => record.id)).not.toContain(callId);
  });

  it("stays apart from another owner's call of the same id in the same moment (G10)", async () => {
    // All look before any of them has made its task.
    const wrap = (store: MemoryStore): Store => ({
      ...store,
      getTask: async (id) => (id === callId ? undefined : store.getTask(id)),
    });
    const { engine } = createScene([quick], {}, wrap);
    const owners = ["client:a", "client:b", "client:c"];
    const started = await Promise.all(owners.map((owner) => engine.forOwner(owner).start({ ...start, callId })));
    expect(started.map(({ record, created }) => [record.owner, created])).toEqual(owners.map((owner) => [owner, true]));
  });
});
