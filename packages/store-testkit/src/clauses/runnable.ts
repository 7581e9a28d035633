import { isRunnable, type NewSignal, type NewTask, needsNoCaller, type TaskEventBody } from "@resumable-mcp/core/store";
import { asked, checkpoint, completed, failed, restarted, started } from "../event-samples.js";
import { expectEqual, pluck } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

interface Request {
  readonly tools?: readonly string[];
  readonly limit?: number;
}

async function runnable(scene: Scene, request: Request = {}) {
  const { tools = ["count_words"], limit = 100 } = request;
  return scene.store.listRunnable({ tools, limit, now: scene.clock.now() });
}

async function runnableIds(scene: Scene, request?: Request): Promise<readonly string[]> {
  return (await runnable(scene, request)).tasks.map(({ id }) => id);
}

const journals: readonly (readonly TaskEventBody[])[] = [
  [],
  [started],
  [started, checkpoint(1), { type: "attempt_ended", reason: "drained" }],
  [asked("go")],
  [started, { type: "attempt_ended", reason: "retry", runnableAt: "2026-01-01T00:00:30.000Z" }],
  [started, { type: "attempt_ended", reason: "crashed" }],
  [{ type: "desiredState", desiredState: "pause" }],
  [completed],
  [failed, restarted(2, true)],
];
const requests: readonly (NewSignal | undefined)[] = [
  undefined,
  { kind: "pause" },
  { kind: "resume" },
  { kind: "cancel" },
  { kind: "detach" },
  { kind: "offer" },
  { kind: "answer", key: "go", answer: { action: "decline" } },
];

/** Makes a task of every journal and request, detached and not. */
async function createAllKinds(scene: Scene): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const events of journals) {
    for (const request of requests) {
      for (const detached of [true, false]) {
        const { id } = await scene.taskWith(events, { detached });
        if (request !== undefined) await scene.store.signal(id, request);
        ids.push(id);
        scene.clock.advance(1);
      }
    }
  }
  return ids;
}

/** What workers find to do. */
export const runnableClauses = defineClauses({
  "RUN-1": {
    title: "lists what no worker runs, oldest first, as far as the limit",
    because: "The task that waits longest comes first.",
    async check(scene) {
      const ids: string[] = [];
      for (let made = 0; made < 4; made++) {
        ids.push((await scene.create()).record.id);
        scene.clock.advance(1);
      }
      const [held, ...free] = ids;
      await scene.lease(held ?? "");
      expectEqual(await runnableIds(scene), free, "runnable tasks");
      expectEqual(await runnableIds(scene, { limit: 2 }), free.slice(0, 2), "the first two");
    },
  },
  "RUN-2": {
    title: "lists only tasks of the tools that are named, with what a worker needs to choose",
    because: "A process runs only the tools that it has.",
    async check(scene) {
      const { id } = await scene.taskWith([started, { type: "attempt_ended", reason: "crashed" }], { tool: "train" });
      await scene.create({ tool: "other" });
      const found = await runnable(scene, { tools: ["train", "third"] });
      const task = { id, owner: "client:kit", tool: "train", toolVersion: "1", dueMs: 0, crashes: 1, detached: true };
      expectEqual(found, { tasks: [task] }, "runnable tasks");
      expectEqual(await runnableIds(scene, { tools: [] }), [], "tasks of no tool");
    },
  },
  "RUN-3": {
    title: "tells when the next task is due, and lists it from then on",
    because: "A worker wakes at that time.",
    async check(scene) {
      const now = scene.clock.now().wallMs;
      const retryAt = async (ms: number, parts: Partial<NewTask> = {}) => {
        const runnableAt = new Date(now + ms).toISOString();
        return scene.taskWith([started, { type: "attempt_ended", reason: "retry", runnableAt }], parts);
      };
      await retryAt(9_000);
      // None of these is this worker's to wait for.
      await retryAt(1_000, { tool: "other" });
      await scene.lease((await retryAt(1_000)).id);
      const { id } = await retryAt(5_000);
      expectEqual(await runnable(scene), { tasks: [], nextDueMs: now + 5_000 }, "before it is due");
      scene.clock.advance(4_999);
      expectEqual(await runnableIds(scene), [], "a millisecond before");
      scene.clock.advance(1);
      const due = await runnable(scene);
      const times = due.tasks.map((task) => [task.id, task.dueMs]);
      expectEqual([times, due.nextDueMs], [[[id, now + 5_000]], now + 9_000], "when it is due");
    },
  },
  "RUN-4": {
    title: "lists exactly what isRunnable says, for tasks of every kind",
    because: "All stores and the engine must agree on what may run.",
    async check(scene) {
      const ids = await createAllKinds(scene);
      for (const waitMs of [0, 60_000]) {
        scene.clock.advance(waitMs);
        const nowMs = scene.clock.now().wallMs;
        const snapshots = await Promise.all(ids.map((id) => scene.read(id)));
        const expected = snapshots.filter((snapshot) => isRunnable(snapshot, nowMs));
        const listed = await runnableIds(scene, { limit: 1_000 });
        expectEqual(listed, pluck(pluck(expected, "record"), "id"), "runnable tasks");
      }
    },
  },
  "RUN-5": {
    title: "says of each task what needsNoCaller says",
    because: "A worker gives callers time to return to any other task.",
    async check(scene) {
      const ids = await createAllKinds(scene);
      const { tasks } = await runnable(scene, { limit: 1_000 });
      const snapshots = await Promise.all(ids.map((id) => scene.read(id)));
      const nowMs = scene.clock.now().wallMs;
      const expected = snapshots
        .filter((snapshot) => isRunnable(snapshot, nowMs))
        .map((snapshot) => ({ id: snapshot.record.id, detached: needsNoCaller(snapshot) }));
      const listed = tasks.map(({ id, detached }) => ({ id, detached }));
      expectEqual(listed, expected, "which tasks need no caller");
    },
  },
});
