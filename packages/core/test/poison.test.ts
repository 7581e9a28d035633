import { describe, expect, it } from "vitest";
import { createGate, createScene, failOnUnhandledRejections, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

/** Servers that die when their poison has run for a while, each time followed by the next one on the same data. */
function createInfirmary(poisonMs: number, innocentMs: number) {
  let life = 0;
  let dying = false;
  const deaths = () => life;
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const poison = job(
    async function* () {
      const mine = life;
      await wait(poisonMs);
      if (mine === life) dying = true;
      await new Promise(() => {});
      yield { progress: 1 };
      return "never";
    },
    { name: "poison" },
  );
  const innocent = job(
    async function* () {
      await wait(innocentMs);
      yield { progress: 1 };
      return "done";
    },
    { name: "innocent" },
  );
  const quick = job(
    async function* () {
      yield { progress: 1 };
      return "done";
    },
    { name: "quick" },
  );
  // Minutes of the clock take little time when polls and heartbeats are rare.
  const limits = { maxRunningPerOwner: 32, pollMs: 60_000, heartbeatMs: 60_000, leaseTtlMs: 180_000 };
  const first = createScene([poison, innocent, quick], { limits });
  const { clock } = first;
  /** Lets time pass; a process that died is followed by the next. */
  const pass = async (scene: Scene, ms: number): Promise<Scene> => {
    await scene.clock.advance(ms);
    if (!dying) return scene;
    dying = false;
    life += 1;
    scene.store.kill({ noticed: true });
    const next = scene.another();
    await next.engine.open();
    await next.rest();
    return next;
  };
  return { first, pass, deaths };
}

describe("a tool that kills its process", () => {
  it.each([
    [5_000, 10_000],
    [35_000, 40_000],
  ])(
    "fails alone: it kills after %i ms, 20 neighbours come to a checkpoint after %i ms and complete (G10, G12)",
    async (poisonMs, innocentMs) => {
      const { first, pass, deaths } = createInfirmary(poisonMs, innocentMs);
      const start = (tool: string, n: number) => first.tasks.start({ tool, input: { n }, detached: true });
      const innocents = [];
      for (let n = 0; n < 20; n++) innocents.push((await start("innocent", n)).record.id);
      const poison = (await start("poison", 0)).record.id;
      let scene = first;
      const unfinished = async () => (await scene.tasks.list({ statuses: ["pending", "running"] })).tasks.length;
      for (let steps = 0; steps < 400 && (await unfinished()) > 0; steps++) scene = await pass(scene, 5_000);
      const statuses = await Promise.all(innocents.map(async (id) => (await scene.tasks.get(id)).status));
      expect(statuses).toEqual(innocents.map(() => "completed"));
      expect(await scene.tasks.get(poison)).toMatchObject({
        status: "failed",
        record: { error: { code: "CRASH_LOOP" } },
      });
      expect(deaths()).toBeLessThanOrEqual(10);
    },
  );

  it("keeps no new call of others waiting, before or after its deaths (G10.3, G12)", async () => {
    const { first, pass, deaths } = createInfirmary(5_000, 10_000);
    for (let n = 0; n < 4; n++) await first.tasks.start({ tool: "innocent", input: { n }, detached: true });
    await first.tasks.start({ tool: "poison", input: {}, detached: true });
    let scene = first;
    // One suspect after the other has its trial: the poison may be the last.
    for (let n = 0; n < 40 || (deaths() < 3 && n < 200); n++) {
      scene = await pass(scene, 1_000);
      const { record } = await scene.engine.forOwner("client:b").start({ tool: "quick", input: { n } });
      await scene.rest();
      expect((await scene.engine.forOwner("client:b").get(record.id)).status).toBe("completed");
    }
    expect(deaths()).toBeGreaterThanOrEqual(3);
  });
});

describe("a task that waits in place", () => {
  it("keeps no call of another owner from its slot, also when its process died before (G10.3, G12)", async () => {
    const { tool, ask } = createAsking();
    const scene = createScene([tool, ask], { limits: { maxRunning: 2 } });
    for (let n = 0; n < 6; n++) await scene.tasks.start({ tool: "asking", input: { n }, detached: true });
    await scene.rest();
    let current = scene;
    for (let deaths = 0; deaths < 3; deaths++) {
      const others = current.engine.forOwner("client:b");
      const { record } = await others.start({ tool: "job", input: { n: deaths } });
      await current.rest();
      expect((await others.get(record.id)).status).toBe("completed");
      current.store.kill({ noticed: true });
      current = current.another();
      await current.engine.open();
      await current.clock.advance(2_000);
    }
    expect(await current.tasks.count()).toMatchObject({ byStatus: { input_required: 6 } });
  });

  it("gives its place up where too many wait already, and continues when it is answered (G11)", async () => {
    const { tool, ask } = createAsking();
    const scene = createScene([tool, ask], { limits: { maxWaitingInPlace: 2 } });
    const ids = [];
    for (let n = 0; n < 4; n++) {
      ids.push((await scene.tasks.start({ tool: "asking", input: { n }, detached: true })).record.id);
      await scene.rest();
    }
    expect(scene.engine.running).toEqual(ids.slice(0, 2));
    for (const id of ids) await scene.tasks.answer(id, "go", { action: "decline" });
    await scene.rest();
    expect(await scene.tasks.count()).toMatchObject({ byStatus: { completed: 4 } });
  });

  it("does not count for its tool's limit less than one that runs (G11)", async () => {
    const { ask } = createAsking({ maxRunning: 1 });
    const { tasks, engine, rest } = createScene([ask]);
    for (let n = 0; n < 3; n++) await tasks.start({ tool: "asking", input: { n } });
    await rest();
    expect(engine.running).toHaveLength(1);
  });

  it("takes its slot again when it works on (G11)", async () => {
    const gate = createGate();
    const { tool, ask } = createAsking({}, gate.opened);
    const { tasks, engine, rest } = createScene([tool, ask], { limits: { maxRunning: 1 } });
    const { record } = await tasks.start({ tool: "asking", input: {} });
    await rest();
    await tasks.answer(record.id, "go", { action: "decline" });
    await rest();
    const other = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect([engine.running, (await tasks.get(other.record.id)).status]).toEqual([[record.id], "pending"]);
    gate.open();
    await rest();
    expect(await tasks.count()).toMatchObject({ byStatus: { completed: 2 } });
  });
});

function createAsking(extras: { maxRunning?: number } = {}, work: Promise<void> = Promise.resolve()) {
  const ask = job(
    async function* (task) {
      await task.ask("go", { message: "Go on?", schema: { type: "object", properties: {} } });
      await work;
      yield { progress: 1 };
      return "done";
    },
    { name: "asking", ...extras },
  );
  const tool = job(async function* () {
    yield { progress: 1 };
    return "done";
  });
  return { tool, ask };
}
