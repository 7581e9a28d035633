import { createMemoryStore, type MemoryStore, type Store } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { createManualClock, type ManualClock } from "@resumable-mcp/core/testing";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import type { WebhookLimits } from "../src/webhook/limits.js";
import { withWebhook } from "../src/webhook/with-webhook.js";
import { accept, secret, startReceiver } from "./webhook-receiver.js";

const keys = [Buffer.from(secret.slice("whsec_".length), "base64")];
const completed: TaskEventBody = { type: "completed", output: 1 };
const failed: TaskEventBody = { type: "failed", error: { code: "TOOL_FAILED", message: "private" } };
const asked: TaskEventBody = { type: "asked", key: "k", question: { message: "Who?", schema: { type: "object" } } };

interface SceneOptions {
  readonly url: URL;
  readonly memory?: MemoryStore;
  readonly clock?: ManualClock;
  readonly limits?: Partial<WebhookLimits>;
  /** What stands between the webhook and its store. */
  readonly between?: (store: Store) => Store;
}

/** A store with a webhook, which has looked for what is due once. */
async function openScene({ url, limits = {}, between = (store) => store, ...given }: SceneOptions) {
  const { memory = createMemoryStore(), clock = createManualClock(Date.now()) } = given;
  const said: string[] = [];
  const onProblem = (sentence: string) => said.push(sentence);
  const store = withWebhook(between(memory), { url, keys, clock, limits, onProblem });
  await store.open();
  onTestFinished(() => store.close());
  await clock.advance(0);
  return { memory, clock, said, store };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

function nowOf({ clock }: Pick<Scene, "clock">) {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
}

/** Makes a task and commits events to it, each by itself. */
async function runTask(scene: Scene, id: string, ...events: readonly TaskEventBody[]): Promise<void> {
  const { store } = scene;
  const now = nowOf(scene);
  const task = { id, owner: "sub:alice", tool: "job", toolVersion: "1", key: null, input: {} };
  await store.createTask({ task: { ...task, detached: true, ttlMs: 1e9 }, reuseResultMs: 0, now });
  const taken = await store.acquireLease({ taskId: id, worker: "w", ttlMs: 15_000, now });
  if (taken === undefined) throw new Error("The lease is not free.");
  let afterSeq = taken.snapshot.record.lastSeq;
  try {
    for (const event of events) {
      const commit = { lease: taken.lease, afterSeq, events: [event], consume: [], now: nowOf(scene) };
      afterSeq = (await store.commit(commit)).record.lastSeq;
    }
  } finally {
    await store.releaseLease(taken.lease);
  }
}

/** When each message is due, in milliseconds from now. */
async function dueIn({ memory, clock }: Scene): Promise<readonly number[]> {
  const found = await memory.listIdleDocuments({ kind: "webhook", idleSinceMs: 8.64e15, limit: 100 });
  return found.map(({ updatedAt }) => Date.parse(updatedAt) - clock.wallMs());
}

/** Lets time pass until something is so. */
async function pass({ clock }: Scene, isSo: () => boolean | Promise<boolean>, stepMs = 5_000): Promise<void> {
  await expect
    .poll(async () => {
      if (await isSo()) return true;
      await clock.advance(stepMs);
      return isSo();
    })
    .toBe(true);
}

test("a task that asks, completes or fails brings one message each, signed by Standard Webhooks, with nothing else in it", async () => {
  const { url, received } = await startReceiver();
  const scene = await openScene({ url });
  const time = new Date(scene.clock.wallMs()).toISOString();
  await runTask(scene, "task-0000000000001", { type: "checkpoint", progress: 1 }, asked, completed);
  await runTask(scene, "task-0000000000002", failed);
  await runTask(scene, "task-0000000000003", { type: "cancelled" });
  await expect.poll(() => dueIn(scene)).toEqual([]);
  const bodies = received.map(({ body }) => JSON.parse(body));
  expect(bodies.sort((a, b) => (a.id + a.status < b.id + b.status ? -1 : 1))).toEqual([
    { id: "task-0000000000001", tool: "job", status: "completed", time },
    { id: "task-0000000000001", tool: "job", status: "input_required", time },
    { id: "task-0000000000002", tool: "job", status: "failed", time },
  ]);
  for (const { id, timestamp, body, signatures } of received) {
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signatures };
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(id).toMatch(/^msg_task-0+[12]_[234]$/);
  }
  expect(new Set(received.map(({ id }) => id)).size).toBe(3);
  expect(scene.said).toEqual([]);
});

test("a failure is followed by attempts after 5 s and 5 min, with the same id and body (G1.3)", async () => {
  const { url, received } = await startReceiver((response, nth) => {
    if (nth < 3) response.writeHead(nth === 1 ? 500 : 404).end();
    else accept(response);
  });
  const scene = await openScene({ url });
  await runTask(scene, "task-0000000000001", completed);
  await expect.poll(async () => (await dueIn(scene))[0]).toSatisfy((ms: number) => ms >= 5_000 && ms <= 5_500);
  await pass(scene, () => received.length === 2, 6_000);
  await expect.poll(async () => (await dueIn(scene))[0]).toSatisfy((ms: number) => ms > 280_000 && ms <= 330_000);
  await pass(scene, async () => (await dueIn(scene)).length === 0, 60_000);
  expect(received.map(({ isSigned }) => isSigned)).toEqual([true, true, true]);
  expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  expect(scene.said[0]).toBe(`Webhook to ${url.origin}: status 500; the message is sent again.`);
});

test("a receiver that is away, hangs or redirects gets the message later, and a redirect is not followed (G1.3)", async () => {
  const other = await startReceiver();
  let isWell = false;
  const { url, received } = await startReceiver((response, nth) => {
    if (isWell) accept(response);
    else if (nth === 1) response.writeHead(307, { location: other.url.href }).end();
    // The second one hangs.
  });
  const scene = await openScene({ url, limits: { timeoutMs: 2_000, sayEveryMs: 0 } });
  await runTask(scene, "task-0000000000001", completed);
  await pass(scene, () => scene.said.length === 1);
  await pass(scene, () => scene.said.length === 2);
  isWell = true;
  await pass(scene, async () => (await dueIn(scene)).length === 0, 60_000);
  expect(scene.said).toEqual([
    `Webhook to ${url.origin}: status 307, and redirects are not followed; the message is sent again.`,
    `Webhook to ${url.origin}: no answer in time; the message is sent again.`,
  ]);
  expect(received).toHaveLength(3);
  expect(other.received).toEqual([]);
  const dead = await startReceiver();
  dead.stop();
  const away = await openScene({ url: dead.url });
  await runTask(away, "task-0000000000002", failed);
  await pass(away, () => away.said.length === 1);
  expect(away.said).toEqual([`Webhook to ${dead.url.origin}: ECONNREFUSED; the message is sent again.`]);
});

test("after the last attempt a message is given up, and the log says which", async () => {
  const { url, received } = await startReceiver((response) => response.writeHead(500).end());
  const hourMs = 60 * 60_000;
  const scene = await openScene({ url, limits: { lookEveryMs: hourMs } });
  await runTask(scene, "task-0000000000001", failed);
  await pass(scene, async () => (await dueIn(scene)).length === 0, hourMs);
  expect(received).toHaveLength(10);
  expect(scene.said.at(-1)).toBe("Webhook: given up after days: task task-0000000000001 is failed.");
});

test("a full outbox leaves further messages out, keeps those that it has, and the log says so (G11.1)", async () => {
  let isWell = false;
  const { url, received } = await startReceiver((response) => {
    if (isWell) accept(response);
    else response.writeHead(503).end();
  });
  const scene = await openScene({ url, limits: { maxMessages: 2, sayEveryMs: 0 } });
  for (const nth of [1, 2, 3]) await runTask(scene, `task-000000000000${nth}`, completed);
  await pass(scene, () => scene.said.some((sentence) => sentence.includes("2 messages wait already")));
  expect((await scene.store.getTask("task-0000000000003"))?.record.status).toBe("completed");
  isWell = true;
  await pass(scene, async () => (await dueIn(scene)).length === 0, 60_000);
  const sent = new Set(received.map(({ body }) => JSON.parse(body).id));
  expect(sent).toEqual(new Set(["task-0000000000001", "task-0000000000002"]));
});

test("of two processes the one that committed sends; the other takes over what a dead one left (G1.3)", async () => {
  const { url, received } = await startReceiver();
  const first = await openScene({ url });
  const second = await openScene({ url, memory: first.memory.anotherProcess(), clock: first.clock });
  for (const nth of [1, 2, 3]) await runTask(nth === 2 ? second : first, `task-000000000000${nth}`, completed);
  await expect.poll(() => dueIn(second)).toEqual([]);
  await first.clock.advance(10 * 60_000);
  expect(received).toHaveLength(3);

  // The process dies after its commit, before anything is sent.
  const dying = await openScene({
    url,
    memory: first.memory.anotherProcess(),
    clock: first.clock,
    limits: { maxWaiting: 0 },
  });
  await runTask(dying, "task-0000000000004", failed);
  expect(received).toHaveLength(3);
  await dying.store.close();
  await pass(second, async () => (await dueIn(second)).length === 0);
  expect(received).toHaveLength(4);
  expect(JSON.parse(received[3]?.body ?? "")).toMatchObject({ id: "task-0000000000004", status: "failed" });
});

test("a message of a change that never came about is not sent, whatever came in its place", async () => {
  const { url, received } = await startReceiver();
  let fails = true;
  const between = (store: Store): Store => ({
    ...store,
    commit: (request) => (fails ? Promise.reject(new Error("the disk is full")) : store.commit(request)),
  });
  const scene = await openScene({ url, between });
  await expect(runTask(scene, "task-0000000000001", completed)).rejects.toThrow("the disk is full");
  // As long as nothing is in its place, the change may still come.
  await pass(scene, async () => (await dueIn(scene)).every((ms) => ms > 55_000), 61_000);
  expect(await dueIn(scene)).toHaveLength(1);
  fails = false;
  await runTask(scene, "task-0000000000001", { type: "checkpoint", progress: 1 }, failed);
  await pass(scene, async () => (await dueIn(scene)).length === 0, 61_000);
  expect(received.map(({ body }) => JSON.parse(body).status)).toEqual(["failed"]);
});

test("the message of a task that was deleted meanwhile is sent (G1.3)", async () => {
  const { url, received } = await startReceiver();
  const scene = await openScene({ url, limits: { maxWaiting: 0 } });
  await runTask(scene, "task-0000000000001", completed);
  const now = nowOf(scene);
  const taken = await scene.store.acquireLease({ taskId: "task-0000000000001", worker: "w", ttlMs: 1, now });
  if (taken !== undefined) await scene.store.deleteTask(taken.lease);
  await pass(scene, async () => (await dueIn(scene)).length === 0);
  expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({ id: "task-0000000000001", status: "completed" });
});

test("a server that stops leaves what its receiver does not answer to the next one (G1.3)", async () => {
  let isWell = false;
  const { url, received } = await startReceiver((response) => {
    if (isWell) accept(response);
  });
  const scene = await openScene({ url, limits: { stopMs: 0 } });
  await runTask(scene, "task-0000000000001", completed);
  await expect.poll(() => received.length).toBe(1);
  const memory = scene.memory.anotherProcess();
  await scene.store.close();
  expect(scene.said).toEqual([]);
  isWell = true;
  const next = await openScene({ url, memory, clock: scene.clock });
  await pass(next, async () => (await dueIn(next)).length === 0);
  expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
});
