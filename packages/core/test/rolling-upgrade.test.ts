import { expect, it } from "vitest";
import { assignVersion, type EngineLimits } from "../src/engine.js";
import type { MemoryStore } from "../src/store/memory/memory-store.js";
import type { Store } from "../src/store/store.js";
import { createScene, failOnUnhandledRejections, job, type Scene } from "./scene.js";

failOnUnhandledRejections();

/** Code of one version: it makes a checkpoint, waits to be stopped, and continues to the end only from its second attempt. */
function codeOf(version: string, accepts: readonly string[] = []) {
  const began: string[] = [];
  const tool = job(
    async function* (task, n) {
      began.push(`${n} from ${JSON.stringify(task.state)}`);
      if (task.attempt === 1) {
        yield { progress: 3, state: { at: 3 }, message: `row 3 of ${n}` };
        await new Promise<never>((_resolve, reject) => {
          task.signal.addEventListener("abort", () => reject(task.signal.reason));
        });
      }
      return `by ${version}`;
    },
    { version, accepts },
  );
  return { tool, began };
}

type Code = ReturnType<typeof codeOf>;
const limits = { crashBackoffMs: 0 };

/** The first worker, whose code is `code`, and others on the same data. */
async function open(code: Code) {
  const scene = createScene([code.tool], { limits });
  const worker = async (other: Code, more: Partial<EngineLimits> = {}): Promise<Scene> => {
    const options = { limits: { ...limits, ...more } };
    const made = createScene([other.tool], options, undefined, scene.store.anotherProcess(), scene.clock);
    await made.engine.open();
    await made.rest();
    return made;
  };
  await scene.engine.open();
  return { ...scene, worker };
}

const start = async (scene: Scene, n = 1, detached = true) => {
  const started = await scene.tasks.start({ tool: "job", input: { n }, detached });
  await scene.rest();
  return started;
};
const view = async (scene: Scene, id: string) => {
  const { record, status } = await scene.tasks.get(id);
  return [status, record.toolVersion, record.output ?? record.message];
};

it("leaves a task to a worker that offers its version, however new another one is", async () => {
  const [first, second] = [codeOf("1"), codeOf("2", ["1"])];
  const old = await open(first);
  const { record } = await start(old);
  const next = await old.worker(second);
  old.store.kill({ noticed: true });
  await next.clock.advance(2_000);
  const again = codeOf("1");
  await old.worker(again);
  await next.clock.advance(120_000);
  expect(await view(next, record.id)).toEqual(["completed", "1", "by 1"]);
  expect([second.began, again.began]).toEqual([[], ['1 from {"at":3}']]);
});

it("continues it on a version that accepts it when its own was missing for versionWaitMs", async () => {
  const [first, second, third] = [codeOf("1"), codeOf("2"), codeOf("3", ["1"])];
  const old = await open(first);
  const { record } = await start(old);
  const next = await old.worker(second);
  await old.worker(third);
  old.store.kill({ noticed: true });
  await next.clock.advance(29_000);
  expect(await view(next, record.id)).toEqual(["pending", "1", "row 3 of 1"]);
  await next.clock.advance(10_000);
  expect(await view(next, record.id)).toEqual(["completed", "3", "by 3"]);
  expect(second.began).toEqual([]);
});

it("waits again each time its version is missing, also where it came back and ran its tasks meanwhile", async () => {
  const stuck = job(
    async function* (task) {
      yield { progress: task.attempt };
      await new Promise<never>((_resolve, reject) => {
        task.signal.addEventListener("abort", () => reject(task.signal.reason));
      });
      return "never";
    },
    { version: "1" },
  );
  const code = { tool: stuck, began: [] };
  const old = await open(code);
  const { record } = await start(old);
  const next = await old.worker(codeOf("2", ["1"]));
  old.store.kill({ noticed: true });
  await next.clock.advance(2_000);
  const back = await old.worker(code);
  await next.clock.advance(60_000);
  back.store.kill({ noticed: true });
  await next.clock.advance(20_000);
  expect((await next.tasks.get(record.id)).record).toMatchObject({ attempt: 2, toolVersion: "1" });
  await next.clock.advance(20_000);
  expect(await view(next, record.id)).toEqual(["completed", "2", "by 2"]);
});

it("leaves a task to a worker of its version that began a moment after this one looked who lives", async () => {
  const [first, second] = [codeOf("1"), codeOf("2", ["1"])];
  const old = await open(first);
  const { record: left } = await start(old);
  old.store.kill({ noticed: true });
  const next = await old.worker(second);
  expect(await view(next, left.id)).toEqual(["completed", "2", "by 2"]);
  const back = await old.worker(codeOf("1"), { maxRunning: 1 });
  await start(back, 2);
  const { record: queued } = await start(back, 3);
  await next.clock.advance(100);
  expect(await view(next, queued.id)).toEqual(["pending", "1", undefined]);
  await next.clock.advance(5_000);
  expect([await view(next, queued.id), second.began]).toEqual([["pending", "1", undefined], ['1 from {"at":3}']]);
});

it("reads once more who lives, for all tasks together whose version is missing", async () => {
  const old = await open(codeOf("1"));
  for (let n = 0; n < 10; n += 1) await start(old, n);
  const { store } = old;
  store.kill({ noticed: true });
  const reads: string[] = [];
  const counting = (own: MemoryStore): Store => {
    const listOffers: Store["listOffers"] = (request) => {
      reads.push("offers");
      return own.listOffers(request);
    };
    return Object.assign(Object.create(own), { listOffers });
  };
  const second = codeOf("2", ["1"]);
  const next = createScene([second.tool], { limits }, counting, store.anotherProcess(), old.clock);
  await next.engine.open();
  await next.rest();
  expect(second.began).toHaveLength(10);
  expect(reads.length).toBeLessThan(5);
});

it("does not wait in a process that never saw another worker", async () => {
  const [first, second] = [codeOf("1"), codeOf("2", ["1"])];
  const old = await open(first);
  const { record } = await start(old);
  old.store.kill({ noticed: true });
  const next = await old.worker(second);
  expect(await view(next, record.id)).toEqual(["completed", "2", "by 2"]);
});

it("never runs a task by code that does not know its version: it waits, says so, and continues when that code comes (G2.3)", async () => {
  const [second, first] = [codeOf("2", ["1"]), codeOf("1")];
  const next = await open(second);
  const { record } = await start(next);
  next.store.kill({ noticed: true });
  const back = await next.worker(first);
  await back.clock.advance(120_000);
  const sentence = expect.stringMatching(/^Waits for code that can read it: it needs version 2 of job/);
  expect(await view(back, record.id)).toEqual(["pending", "2", sentence]);
  expect((await back.tasks.list()).tasks.map(({ status, message }) => [status, message])).toEqual([
    ["pending", sentence],
  ]);
  const fixed = codeOf("2", ["1"]);
  const last = await next.worker(fixed);
  expect(await view(last, record.id)).toEqual(["completed", "2", "by 2"]);
  expect([first.began, fixed.began]).toEqual([[], ['1 from {"at":3}']]);
});

it("takes no lease to look again at a task that it refuses: the lease is free for code that can read it", async () => {
  const next = await open(codeOf("2", ["1"]));
  const { record } = await start(next);
  next.store.kill({ noticed: true });
  const taken: string[] = [];
  const counting = (store: MemoryStore): Store => ({
    ...store,
    acquireLease: (request) => {
      taken.push(request.taskId);
      return store.acquireLease(request);
    },
  });
  const back = createScene([codeOf("1").tool], { limits }, counting, next.store.anotherProcess(), next.clock);
  await back.engine.open();
  await back.clock.advance(300_000);
  expect(taken).toEqual([record.id]);
});

it("runs a task as soon as an operator gives it to its version", async () => {
  const [second, first] = [codeOf("2", ["1"]), codeOf("1")];
  const next = await open(second);
  const { record } = await start(next);
  next.store.kill({ noticed: true });
  const back = await next.worker(first);
  await back.clock.advance(2_000);
  expect((await view(back, record.id))[0]).toBe("pending");
  await assignVersion(next.store.anotherProcess(), record.id, { toolVersion: "1", fromState: true });
  await back.clock.advance(1_000);
  expect(await view(back, record.id)).toEqual(["completed", "1", "by 1"]);
});

it("notices that the first state has another shape under the same version", async () => {
  const old = await open(codeOf("1"));
  const { record } = await start(old);
  old.store.kill({ noticed: true });
  const began: unknown[] = [];
  const changed = job(async function* (task) {
    began.push(task.state);
    yield { progress: 4 };
    return "never";
  });
  const next = createScene(
    [{ ...changed, stateShape: '{"line":"number"}' }],
    { limits },
    undefined,
    old.store.anotherProcess(),
    old.clock,
  );
  await next.engine.open();
  await next.clock.advance(120_000);
  expect(await view(next, record.id)).toEqual(["pending", "1", expect.stringContaining("another shape")]);
  expect(began).toEqual([]);
  await next.tasks.cancel(record.id);
  expect(await view(next, record.id)).toEqual(["cancelled", "1", "row 3 of 1"]);
});

it("leaves a task to a worker of its version whose state has the right shape, where its own code has another", async () => {
  const [first, again, changed] = [codeOf("1"), codeOf("1"), codeOf("1")];
  const old = await open(first);
  const { record } = await start(old);
  const next = await old.worker({ ...changed, tool: { ...changed.tool, stateShape: '{"line":"number"}' } });
  const same = await old.worker(again, { maxRunning: 0 });
  old.store.kill({ noticed: true });
  await next.clock.advance(2_000);
  expect(await view(same, record.id)).toEqual(["pending", "1", "row 3 of 1"]);
  expect(changed.began).toEqual([]);
});

it("hands a task that is called at a worker of another version to the worker of its own, at once", async () => {
  const [first, again, second] = [codeOf("1"), codeOf("1"), codeOf("2", ["1"])];
  const old = await open(first);
  const { record } = await start(old, 1, false);
  const same = await old.worker(again);
  const next = await old.worker(second);
  old.store.kill({ noticed: true });
  await next.clock.advance(2_000);
  expect(await view(next, record.id)).toEqual(["pending", "1", "row 3 of 1"]);
  expect((await start(next, 1, false)).created).toBe(false);
  await next.clock.advance(2_000);
  expect(await view(same, record.id)).toEqual(["completed", "1", "by 1"]);
  expect(second.began).toEqual([]);
});

it("finds its own tasks behind any number of tasks that are left to others", async () => {
  const old = await open(codeOf("1"));
  // The workers of version 1 have no slot left.
  const full = createScene(
    [codeOf("1").tool],
    { limits: { ...limits, maxRunning: 0 } },
    undefined,
    old.store.anotherProcess(),
    old.clock,
  );
  await full.engine.open();
  for (let n = 0; n < 5; n++) await start(old, n);
  const second = codeOf("2", ["1"]);
  const before = await old.worker(second);
  const { record } = await start(before, 9);
  old.store.kill({ noticed: true });
  before.store.kill({ noticed: true });
  const next = createScene(
    [second.tool],
    { limits: { ...limits, lookBatch: 1 } },
    undefined,
    old.store.anotherProcess(),
    old.clock,
  );
  await next.engine.open();
  await next.clock.advance(20_000);
  expect(await view(next, record.id)).toEqual(["completed", "2", "by 2"]);
  expect(second.began).toEqual(['9 from {"at":0}', '9 from {"at":3}']);
});
