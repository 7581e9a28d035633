import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { countTool } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, openSession, post, readUntil } from "./http-endpoint.js";

/** Two servers over one store; what writes sessions stands still at the first server while the test holds it. */
async function openReplicas() {
  const store = createMemoryStore();
  const hold = { isOn: false, reached: () => {}, release: () => {} };
  const released = new Promise<void>((resolve) => {
    hold.release = resolve;
  });
  const isReached = new Promise<void>((resolve) => {
    hold.reached = resolve;
  });
  const held: Partial<Store> = {
    putDocument: async (request) => {
      if (hold.isOn) {
        hold.reached();
        await released;
      }
      return store.putDocument(request);
    },
  };
  const here = await openEndpoint({ tools: [countTool()], store: Object.assign(Object.create(store), held) });
  const there = await openEndpoint({ tools: [countTool()], store: store.anotherProcess() });
  onTestFinished(here.close);
  onTestFinished(there.close);
  onTestFinished(() => hold.release());
  const session = await openSession(here.url);
  return { here, there, session, store, hold, isReached };
}

/** Makes a call, and gives its result once the result counts as delivered. */
async function deliveredCall(url: string, session: Record<string, string>, store: Store, id: number) {
  const result = (await readUntil(eventsOf(await post(url, countTo(2, id, named), session)), () => false)).at(
    -1,
  )?.message;
  const { tasks } = await store.listTasks({ limit: 1 });
  await vi.waitFor(async () => {
    const task = await store.getTask(tasks[0]?.id ?? "");
    expect(task?.signals.map(({ kind }) => kind)).toEqual(["delivered"]);
  });
  return { result, taskId: tasks[0]?.id };
}

/** The first call that names its client is written down before it begins. */
const named = { "resumable-mcp/client_id": "0123456789abcdefghijABCDEFGHIJ01" };
const counted = { structuredContent: { counted: 2, attempts: 1 } };

test("G7.8 a call that stood still in its process before it began gets what the same call came to meanwhile", async () => {
  const { here, there, session, store, hold, isReached } = await openReplicas();
  hold.isOn = true;
  const late = post(here.url, countTo(2, 7, named), session);
  await isReached;
  const { taskId } = await deliveredCall(there.url, session, store, 8);
  const nowMs = Date.now();
  onTestFinished(() => void vi.useRealTimers());
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
  const { here, there, session, store } = await openReplicas();
  const { taskId } = await deliveredCall(here.url, session, store, 7);
  const next = await deliveredCall(there.url, session, store, 8);
  expect(next.taskId).not.toBe(taskId);
  expect(await store.countTasks({})).toMatchObject({ total: 2 });
});
