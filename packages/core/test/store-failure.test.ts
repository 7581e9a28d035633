import { describe, expect, it } from "vitest";
import { type MemoryStore, ResumableError, type Store } from "../src/index.js";
import { createScene, diskFull, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

/** A store whose commits of one task fail as long as a switch is on. */
function failing(): {
  wrap: (store: MemoryStore) => Store;
  fail: (taskId: string | undefined) => void;
  refused: () => number;
} {
  let failingTask: string | undefined;
  let refused = 0;
  return {
    fail(taskId) {
      failingTask = taskId;
    },
    refused: () => refused,
    wrap: (store) => ({
      ...store,
      async commit(request) {
        if (request.lease.taskId !== failingTask) return store.commit(request);
        refused += 1;
        throw diskFull();
      },
    }),
  };
}

it("items that the store cannot read now end the attempt, and the task continues in a new one (G12)", async () => {
  let isBroken = true;
  const caught: unknown[] = [];
  const tool = job(async function* (task) {
    if (task.state.at === 0) yield { state: { at: 1 }, append: [7] };
    try {
      for await (const item of task.items()) return `read ${item}`;
    } catch (error) {
      caught.push(error);
      throw error;
    }
    return "read nothing";
  });
  const unreadable = new ResumableError("STORE_READ_FAILED", "The disk fails.", {
    details: { path: "journal", reason: "EIO" },
  });
  const { tasks, clock, rest, errors } = createScene([tool], {}, (store) => ({
    ...store,
    async readItems(taskId, range) {
      if (isBroken) throw unreadable;
      return store.readItems(taskId, range);
    },
  }));
  const { record } = await tasks.start({ tool: "job", input: {} });
  await rest();
  expect([caught, errors]).toEqual([[expect.objectContaining({ name: "TaskInterrupted" })], [unreadable]]);
  isBroken = false;
  await clock.advance(1_000);
  const { status, record: after } = await tasks.get(record.id);
  expect([status, after.output, after.crashes]).toEqual(["completed", "read 7", 0]);
});

it("an engine whose opening fails at any of its reads is opened by the next caller, and watches the store once (G12)", async () => {
  const down = new ResumableError("STORE_READ_FAILED", "The database is away.", {
    details: { path: "task", reason: "gone" },
  });
  const { tool, gates } = gatedCount(1);
  const failures = { heartbeat: 1, listOffers: 1, listTasks: 2 };
  const watching = { now: 0 };
  let beats = 0;
  const fail = (method: keyof typeof failures) => {
    if (failures[method]-- > 0) throw down;
  };
  const options = { limits: { heartbeatMs: 1_000 }, onOpened: () => {} };
  const { engine, tasks, clock, rest } = createScene([tool], options, (store) => ({
    ...store,
    async heartbeat(request) {
      beats += 1;
      fail("heartbeat");
      return store.heartbeat(request);
    },
    async listOffers(request) {
      fail("listOffers");
      return store.listOffers(request);
    },
    async listTasks(query) {
      fail("listTasks");
      return store.listTasks(query);
    },
    watch(taskId, wake) {
      const stop = store.watch(taskId, wake);
      watching.now += 1;
      return () => {
        watching.now -= 1;
        stop();
      };
    },
  }));
  for (let failed = 0; failed < 4; failed++) await expect(engine.open()).rejects.toBe(down);
  await engine.open();
  expect([watching.now, beats]).toEqual([1, 5]);
  await clock.advance(1_000);
  expect(beats).toBe(6);
  const { record } = await tasks.start({ tool: "job", input: {} });
  gates[0]?.open();
  await rest();
  expect((await tasks.get(record.id)).status).toBe("completed");
  await engine.drain();
  expect(watching.now).toBe(0);
});

describe("a store that cannot be written", () => {
  it("makes a task wait with growing pauses and go on in a new attempt, and hinders no other (G1, G12.1, G12.3)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const broken = failing();
    const { tasks, clock, rest, errors } = createScene([tool], { limits: { writeBackoffMs: 500 } }, broken.wrap);
    // Detached, so that every look finds it: it must not be tried before its time.
    const { record } = await tasks.start({ tool: "job", input: { n: 1 }, detached: true });
    const other = await tasks.start({ tool: "job", input: { n: 2 } });
    gates[0]?.open();
    await rest();
    broken.fail(record.id);
    gates[1]?.open();
    await rest();
    expect((await tasks.get(other.record.id)).status).toBe("completed");
    expect((await tasks.get(record.id)).record.progress).toBe(1);
    const refusals: number[] = [];
    for (const ms of [499, 1, 999, 1, 1_999, 1]) {
      await clock.advance(ms);
      refusals.push(broken.refused());
    }
    expect(refusals).toEqual([1, 2, 2, 3, 3, 4]);
    expect(errors).toHaveLength(4);
    broken.fail(undefined);
    await clock.advance(4_000);
    expect(await tasks.get(record.id)).toMatchObject({ status: "completed", record: { crashes: 0 } });
    expect((await tasks.items(record.id)).items).toEqual([1, 2]);
    expect(begun).toEqual([0, 0, 1]);
  });

  it("does not make a task look as if its process had died (G12)", async () => {
    const { tool, gates } = gatedCount(1);
    const broken = failing();
    const { tasks, clock, rest } = createScene([tool], { limits: { maxCrashesWithoutProgress: 1 } }, broken.wrap);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    broken.fail(record.id);
    gates[0]?.open();
    await rest();
    broken.fail(undefined);
    await clock.advance(1_000);
    expect(await historyOf(tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 ended:interrupted",
      "4 attempt_started",
      "5 checkpoint",
      "6 completed",
    ]);
  });

  it("lets finally blocks run, and gives the tool no error that it could mistake for its own (G8, G12)", async () => {
    const caught: unknown[] = [];
    const broken = failing();
    const tool = job(async function* (task) {
      try {
        if (task.attempt === 1) broken.fail(task.id);
        await task.step("one", () => 1);
        yield { progress: 1 };
      } catch (error) {
        caught.push(error);
        throw error;
      } finally {
        caught.push("left");
      }
      return "done";
    });
    const { tasks, clock, rest } = createScene([tool], {}, broken.wrap);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    broken.fail(undefined);
    await clock.advance(1_000);
    expect(caught).toEqual([expect.objectContaining({ name: "TaskInterrupted" }), "left", "left"]);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("lets finally blocks run when a checkpoint cannot be written (G8, G12)", async () => {
    const left: number[] = [];
    const broken = failing();
    const tool = job(async function* (task) {
      try {
        if (task.attempt === 1) broken.fail(task.id);
        yield { progress: 1 };
      } finally {
        left.push(task.attempt);
      }
      return "done";
    });
    const { tasks, clock, rest } = createScene([tool], {}, broken.wrap);
    await tasks.start({ tool: "job", input: {} });
    await rest();
    expect(left).toEqual([1]);
    broken.fail(undefined);
    await clock.advance(1_000);
    expect(left).toEqual([1, 2]);
  });

  it("fails a task whose result the store refuses for what it is (G11, G12)", async () => {
    const tool = job(async function* () {
      yield { progress: 1 };
      return "too long";
    });
    const { tasks, rest } = createScene([tool], {}, (store) => ({
      ...store,
      async commit(request) {
        if (request.events.some((event) => event.type === "completed")) {
          throw new ResumableError("LIMIT_EXCEEDED", "maxEventBytes is 9.", {
            details: { limit: "maxEventBytes", value: 9, allowed: 1 },
          });
        }
        return store.commit(request);
      },
    }));
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).record.error).toEqual({
      code: "LIMIT_EXCEEDED",
      message: "maxEventBytes is 9.",
    });
  });

  it("keeps a request durable when it cannot be carried out now (G8.3, G12)", async () => {
    const { tool } = gatedCount(1);
    const broken = failing();
    const { tasks, clock } = createScene([tool], { limits: { maxRunning: 0 } }, broken.wrap);
    const { record } = await tasks.start({ tool: "job", input: {} });
    broken.fail(record.id);
    expect((await tasks.cancel(record.id)).status).toBe("pending");
    broken.fail(undefined);
    await tasks.detach(record.id);
    await clock.advance(1_000);
    expect((await tasks.get(record.id)).status).toBe("cancelled");
  });

  it("opens the engine when the store is well again (G12)", async () => {
    const { tool, gates } = gatedCount(1);
    let sick = true;
    const { tasks, rest } = createScene([tool], {}, (store) => ({
      ...store,
      async heartbeat(request) {
        if (sick) throw diskFull();
        return store.heartbeat(request);
      },
    }));
    await expect(tasks.start({ tool: "job", input: {} })).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
    sick = false;
    gates[0]?.open();
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});

describe("a runner that lost its lease", () => {
  it("writes nothing more, and the task continues elsewhere (G4.1)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const silent: string[] = [];
    const { tasks, clock, rest, another, engine } = createScene([tool], { limits: { leaseTtlMs: 3_000 } }, (store) => ({
      ...store,
      // A process that was stopped for too long: its heartbeats do not reach the store.
      async heartbeat({ worker, now }) {
        if (silent.length === 0) await store.heartbeat({ worker, now });
        silent.push(worker);
      },
    }));
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    gates[0]?.open();
    await rest();
    const next = another();
    await next.engine.open();
    await clock.advance(5_000);
    expect(next.engine.running).toEqual([record.id]);
    gates[1]?.open();
    await rest();
    await clock.advance(2_000);
    expect(await historyOf(next.tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 checkpoint",
      "4 ended:crashed",
      "5 attempt_started",
      "6 checkpoint",
      "7 completed",
    ]);
    expect((await next.tasks.items(record.id)).items).toEqual([1, 2]);
    expect(begun).toEqual([0, 1]);
    expect(engine.running).toEqual([]);
  });
});
