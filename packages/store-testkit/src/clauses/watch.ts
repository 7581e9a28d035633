import type { Store } from "@resumable-mcp/core";
import { checkpoint } from "../event-samples.js";
import { expectEqual, inTime } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

const notificationTimeoutMs = 10_000;

/** What is done, and what it is called. */
type Act = readonly [what: string, act: () => Promise<unknown>];

/** Watches, does one thing after another, and waits for a notification after each. */
async function notifiedOf(store: Store, id: string | undefined, acts: readonly Act[]): Promise<void> {
  let wake = () => {};
  const stop = store.watch(id, () => wake());
  try {
    for (const [what, act] of acts) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.all([
        act(),
        inTime(
          woken,
          notificationTimeoutMs,
          `No notification came after ${what} within notificationTimeoutMs = ${notificationTimeoutMs}.`,
        ),
      ]);
    }
  } finally {
    stop();
  }
}

async function notifiedOfOneTask(scene: Scene, watching: Store): Promise<void> {
  const { record, held } = await scene.held();
  await notifiedOf(watching, record.id, [
    ["a commit", () => scene.commit(held, [checkpoint(1)])],
    ["a second commit", () => scene.commit(held, [checkpoint(2)])],
    ["a signal", () => scene.store.signal(record.id, { kind: "pause" })],
  ]);
}

async function notifiedOfAnyTask(scene: Scene, watching: Store): Promise<void> {
  const task = scene.newTask();
  await notifiedOf(watching, undefined, [["a creation", () => scene.create(task)]]);
  const held = await scene.lease(task.id);
  await notifiedOf(watching, undefined, [
    ["a release", () => scene.store.releaseLease(held)],
    ["a signal", () => scene.store.signal(task.id, { kind: "cancel" })],
    ["a second creation", () => scene.create()],
  ]);
}

/** Notifications that something changed. */
export const watchClauses = defineClauses({
  "WATCH-1": {
    title: "notifies of one task after a commit and a signal",
    because: "Followers and runners sleep until then.",
    check: (scene) => notifiedOfOneTask(scene, scene.store),
  },
  "WATCH-2": {
    title: "notifies of any task after a creation, a release and a signal",
    because: "Workers sleep until there may be work.",
    check: (scene) => notifiedOfAnyTask(scene, scene.store),
  },
  "WATCH-3": {
    title: "gives no notification to a watcher that stopped",
    because: "A watcher that stopped has torn down what the notification would touch.",
    async check(scene) {
      const { record, held } = await scene.held();
      let notifications = 0;
      const stop = scene.store.watch(record.id, () => {
        notifications += 1;
      });
      stop();
      stop();
      await notifiedOf(scene.store, record.id, [["a commit", () => scene.commit(held, [checkpoint(1)])]]);
      expectEqual(notifications, 0, "notifications to a watcher that stopped");
    },
  },
  "WATCH-4": {
    level: "SHOULD",
    title: "notifies of what another process did",
    because: "Without a notification it is seen only at the next look, up to a second later.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      await notifiedOfOneTask(scene, second);
      await notifiedOfAnyTask(scene, second);
    },
  },
});
