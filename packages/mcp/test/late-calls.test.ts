import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { afterEach, expect, test, vi } from "vitest";
import { countTool } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, openSession, post, readUntil, resume } from "./http-endpoint.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Two servers over one store; one method of the store stands still at the first server while the test holds it. */
async function openReplicas(method: "createTask" | "putDocument") {
  const store = createMemoryStore();
  const hold = { isOn: false, reached: () => {}, release: () => {} };
  const released = new Promise<void>((resolve) => {
    hold.release = resolve;
  });
  const isReached = new Promise<void>((resolve) => {
    hold.reached = resolve;
  });
  const held: Partial<Store> = {
    [method]: async (request: never) => {
      if (hold.isOn) {
        hold.reached();
        await released;
      }
      return store[method](request);
    },
  };
  const here = await openEndpoint({ tools: [countTool()], store: Object.assign(Object.create(store), held) });
  const there = await openEndpoint({ tools: [countTool()], store: store.anotherProcess() });
  closing.push(here.close, there.close, () => hold.release());
  const session = await openSession(here.url);
  return { here, there, session, store, hold, isReached };
}

/** Makes a call, and gives its result once the result counts as delivered. */
async function deliveredCall(url: string, session: Record<string, string>, store: Store, id: number) {
  const result = (await readUntil(eventsOf(await post(url, countTo(2, id), session)), () => false)).at(-1)?.message;
  const { tasks } = await store.listTasks({ limit: 1 });
  await vi.waitFor(async () => {
    const task = await store.getTask(tasks[0]?.id ?? "");
    expect(task?.signals.map(({ kind }) => kind)).toEqual(["delivered"]);
  });
  return { result, taskId: tasks[0]?.id };
}

const counted = { structuredContent: { counted: 2, attempts: 1 } };

test("G7.8 a call that its process never began, and that its client made again, gets the result of the other when its stream is resumed", async () => {
  const { here, there, session, store, hold, isReached } = await openReplicas("createTask");
  hold.isOn = true;
  const lost = eventsOf(await post(here.url, countTo(2, 7), session));
  const primed = (await lost.next()).value?.id ?? "";
  await isReached;
  await lost.return();
  const { result, taskId } = await deliveredCall(there.url, session, store, 8);
  expect(result).toMatchObject({ id: 8, result: counted });
  const again = await readUntil(eventsOf(await resume(there.url, session, primed)), () => false);
  expect(again.at(-1)?.message).toMatchObject({
    id: 7,
    result: { ...counted, _meta: { "resumable-mcp/task_id": taskId, "resumable-mcp/reused": true } },
  });
  expect(await store.countTasks({})).toMatchObject({ total: 1 });
});

test("G7.8 a call that stood still in its process before it began gets what the same call came to meanwhile", async () => {
  const { here, there, session, store, hold, isReached } = await openReplicas("putDocument");
  hold.isOn = true;
  const late = post(here.url, countTo(2, 7), session);
  await isReached;
  const { taskId } = await deliveredCall(there.url, session, store, 8);
  const nowMs = Date.now();
  closing.push(() => vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs + 2_000 });
  hold.isOn = false;
  hold.release();
  const seen = await readUntil(eventsOf(await late), () => false);
  expect(seen.at(-1)?.message).toMatchObject({
    id: 7,
    result: { ...counted, _meta: { "resumable-mcp/task_id": taskId } },
  });
  expect(await store.countTasks({})).toMatchObject({ total: 1 });
});

test("G7 a call that comes when the result of the same call was delivered begins a new task", async () => {
  const { here, there, session, store } = await openReplicas("createTask");
  const { taskId } = await deliveredCall(here.url, session, store, 7);
  const next = await deliveredCall(there.url, session, store, 8);
  expect(next.taskId).not.toBe(taskId);
  expect(await store.countTasks({})).toMatchObject({ total: 2 });
});

test.each([
  [8_000, "counts", 1],
  [12_000, "does not count", 2],
])(
  "G7 for a call that is begun again a result of a server whose clock is %i ms behind %s",
  async (behindMs, _counts, total) => {
    const { here, there, session, store, hold, isReached } = await openReplicas("createTask");
    hold.isOn = true;
    const lost = eventsOf(await post(here.url, countTo(2, 7), session));
    const primed = (await lost.next()).value?.id ?? "";
    await isReached;
    await lost.return();
    closing.push(() => vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - behindMs });
    await deliveredCall(there.url, session, store, 8);
    vi.useRealTimers();
    const again = await readUntil(eventsOf(await resume(there.url, session, primed)), () => false);
    expect(again.at(-1)?.message).toMatchObject({ id: 7, result: counted });
    expect(await store.countTasks({})).toMatchObject({ total });
  },
);
