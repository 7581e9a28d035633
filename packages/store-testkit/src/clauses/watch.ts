import type { Store } from "@resumable-mcp/core";
import type { Clause } from "../clause.js";
import { checkpoint } from "../event-samples.js";
import { ClauseBroken, expectEqual } from "../expect.js";
import type { Scene } from "../scene.js";

const hintTimeoutMs = 10_000;

/** Watches, does something, and waits for the hint. */
async function hinted(store: Store, id: string | undefined, what: string, act: () => Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = () => {};
  const woken = new Promise<void>((resolve, reject) => {
    stop = store.watch(id, resolve);
    const late = () => reject(new ClauseBroken(`No hint came after ${what} within hintTimeoutMs = ${hintTimeoutMs}.`));
    timer = setTimeout(late, hintTimeoutMs);
  });
  try {
    await Promise.all([act(), woken]);
  } finally {
    clearTimeout(timer);
    stop();
  }
}

async function hintedOfOne(scene: Scene, watching: Store): Promise<void> {
  const { record } = await scene.create();
  const held = await scene.lease(record.id);
  await hinted(watching, record.id, "a commit", () => scene.commit(held, [checkpoint(1)]));
  await hinted(watching, record.id, "a second commit", () => scene.commit(held, [checkpoint(2)]));
  await hinted(watching, record.id, "a signal", () => scene.store.signal(record.id, { kind: "pause" }));
}

async function hintedOfAny(scene: Scene, watching: Store): Promise<void> {
  const made: string[] = [];
  await hinted(watching, undefined, "a creation", async () => made.push((await scene.create()).record.id));
  const id = made[0] ?? "";
  const held = await scene.lease(id);
  await hinted(watching, undefined, "a release", () => scene.store.releaseLease(held));
  await hinted(watching, undefined, "a signal", () => scene.store.signal(id, { kind: "cancel" }));
}

/** Hints to look. */
export const watchClauses: readonly Clause[] = [
  {
    id: "WATCH-1",
    level: "MUST",
    title: "hints at one task after a commit and a signal",
    because: "Followers and runners sleep until then.",
    check: (scene) => hintedOfOne(scene, scene.store),
  },
  {
    id: "WATCH-2",
    level: "MUST",
    title: "hints at any task after a creation, a release and a signal",
    because: "Workers sleep until there may be work.",
    check: (scene) => hintedOfAny(scene, scene.store),
  },
  {
    id: "WATCH-3",
    level: "MUST",
    title: "gives no hint to a watcher that stopped",
    because: "Whoever stopped has torn down what the hint would touch.",
    async check(scene) {
      const { record } = await scene.create();
      const held = await scene.lease(record.id);
      let hints = 0;
      const stop = scene.store.watch(record.id, () => {
        hints += 1;
      });
      stop();
      stop();
      await hinted(scene.store, record.id, "a commit", () => scene.commit(held, [checkpoint(1)]));
      expectEqual(hints, 0, "hints to a watcher that stopped");
    },
  },
  {
    id: "WATCH-4",
    level: "SHOULD",
    title: "hints at what another process did",
    because: "Without a hint it is seen only at the next look, up to a second later.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      await hintedOfOne(scene, second);
      await hintedOfAny(scene, second);
    },
  },
];
