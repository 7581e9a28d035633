import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Lease, TaskEventBody } from "@resumable-mcp/core/store";
import { asked, cancelled, checkpoint, completed, failed, restarted, started } from "../event-samples.js";
import { expectEqual, expectThat } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

const call = { key: "same-call" };

/** What a store does when a journal, or it, holds as much as it may. */
export const quotaClauses = defineClauses({
  "QUOTA-1": {
    title: "refuses events beyond maxJournalEvents with QUOTA_EXCEEDED, writes nothing of them, and leaves the lease",
    because: "G11: a task that never ends must not fill the store; it learns so before anything is written.",
    needs: "limited",
    async check(scene) {
      const store = await scene.limited({ maxJournalEvents: 4 });
      const { record, held } = await scene.held({}, store);
      await scene.commit(held, [checkpoint(1), checkpoint(2)], { store });
      await refused(scene, store, { lease: held, events: [checkpoint(3), checkpoint(4)] }, ["maxJournalEvents", 4]);
      await scene.commit(held, [failed], { store });
      expectEqual((await scene.read(record.id, store)).record.status, "failed", "the status");
    },
  },
  "QUOTA-2": {
    title: "refuses events beyond maxJournalBytes with QUOTA_EXCEEDED, writes nothing of them, and leaves the lease",
    because: "G11: states and items are large, and their number says little.",
    needs: "limited",
    async check(scene) {
      const store = await scene.limited({ maxJournalBytes: 20_000 });
      const { record, held } = await scene.held({}, store);
      await scene.commit(held, [large(1, 4_000)], { store });
      const events = [1, 2, 3, 4, 5].map((progress) => large(progress, 4_000));
      await refused(scene, store, { lease: held, events }, ["maxJournalBytes", 20_000]);
      await scene.commit(held, [completed], { store });
      expectEqual((await scene.read(record.id, store)).record.status, "completed", "the status");
    },
  },
  "QUOTA-3": {
    title: "lets a full task stop, be paused and be answered, and refuses its restart",
    because: "A quota that kept a task from ending would let it run without end.",
    needs: "limited",
    async check(scene) {
      const quota = ["maxJournalEvents", 2] as const;
      const store = await scene.limited({ maxJournalEvents: 2 });
      const { record, held } = await scene.held(call, store);
      await scene.commit(held, [asked("go")], { store });
      await refused(scene, store, { lease: held, events: [checkpoint(1)] }, quota);
      await scene.commit(held, [started], { store });
      const given = { key: "go", answer: { action: "decline" } } as const;
      await store.signal(record.id, { kind: "answer", ...given });
      const consume = await scene.pendingIds(record.id, store);
      await scene.commit(held, [{ type: "answered", ...given }], { store, consume });
      await store.signal(record.id, { kind: "pause" });
      await scene.commit(held, [{ type: "desiredState", desiredState: "pause" }], { store });
      await scene.commit(held, [checkpoint(1), { type: "attempt_ended", reason: "paused" }], { store });
      await scene.commit(held, [cancelled], { store });
      const { id } = (await scene.create(call, store)).record;
      const other = await scene.lease(id, { store });
      await scene.commit(other, [completed], { store });
      await refused(scene, store, { lease: held, events: [restarted(2, true)] }, quota);
      expectEqual((await scene.create(call, store)).record.id, id, "the task of the call");
    },
  },
  "QUOTA-4": {
    title:
      "makes no task beyond maxStoreTasks, lets calls join those that are there, and takes new ones when some were deleted",
    because: "G11: a store that is full says so; a caller that comes back still gets its task.",
    needs: "limited",
    async check(scene) {
      const store = await scene.limited({ maxStoreTasks: 2 });
      const { record } = await scene.create(call, store);
      await scene.create({}, store);
      const details = await quotaOf(scene.create({}, store));
      expectEqual(details, { quota: "maxStoreTasks", limit: 2, used: 2 }, "the details");
      expectEqual((await store.listTasks({ limit: 10 })).tasks.length, 2, "tasks");
      expectEqual((await scene.create(call, store)).record.id, record.id, "the task of the call");
      const held = await scene.lease(record.id, { store });
      await scene.commit(held, [completed], { store });
      await store.deleteTask(held);
      expectEqual((await scene.create({}, store)).created, true, "made after the deletion");
    },
  },
  "QUOTA-5": {
    title: "makes no task when it holds maxStoreBytes, and lets those that are there go on",
    because: "An owner that fills the store must not stop the running tasks of others.",
    needs: "limited",
    async check(scene) {
      const store = await scene.limited({ maxStoreBytes: 20_000 });
      const { record, held } = await scene.held({ owner: "client:other" }, store);
      const full = await scene.create({ owner: "client:greedy" }, store);
      const greedy = await scene.lease(full.record.id, { store });
      await scene.commit(greedy, [large(1, 30_000)], { store });
      const details = await quotaOf(scene.create({ owner: "client:greedy" }, store));
      expectEqual([details.quota, details.limit], ["maxStoreBytes", 20_000], "the details");
      expectThat(details.used >= 20_000, "the error says what is used");
      await scene.commit(held, [checkpoint(1), completed], { store });
      expectEqual((await scene.read(record.id, store)).record.status, "completed", "the other task");
    },
  },
});

function large(progress: number, bytes: number): TaskEventBody {
  return { type: "checkpoint", progress, state: { text: "x".repeat(bytes) } };
}

interface QuotaDetails {
  readonly quota: string;
  readonly limit: number;
  readonly used: number;
}

/** Commits what does not fit, and makes sure that nothing of it is there. */
async function refused(
  scene: Scene,
  store: Store,
  { lease, events }: { readonly lease: Lease; readonly events: readonly TaskEventBody[] },
  [quota, limit]: readonly [string, number],
): Promise<void> {
  const before = await scene.read(lease.taskId, store);
  const details = await quotaOf(scene.commit(lease, events, { store }));
  expectEqual([details.quota, details.limit], [quota, limit], "the quota");
  expectThat(details.used > limit, `what would be used (${details.used}) is more than ${limit}`);
  expectEqual(await scene.read(lease.taskId, store), before, "the task");
}

async function quotaOf(work: Promise<unknown>): Promise<QuotaDetails> {
  const outcome: unknown = await work.then(
    () => "no error",
    (error: unknown) => error,
  );
  expectThat(
    isResumableError(outcome, "QUOTA_EXCEEDED"),
    `what is too much gives QUOTA_EXCEEDED, not ${String(outcome)}`,
  );
  return outcome.details;
}
