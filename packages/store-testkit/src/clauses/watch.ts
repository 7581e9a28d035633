import type { Store } from "@resumable-mcp/core";
import { checkpoint } from "../event-samples.js";
import { ClauseBroken, expectEqual } from "../expect.js";
import type { Clause, Scene } from "../scene.js";

const hintTimeoutMs = 10_000;

/** What is done, and what it is called. */
type Act = readonly [what: string, act: () => Promise<unknown>];

/** Watches, does one thing after another, and waits for a hint after each. */
async function hinted(store: Store, id: string | undefined, acts: readonly Act[]): Promise<void> {
  let wake = () => {};
  const stop = store.watch(id, () => wake());
  try {
    for (const [what, act] of acts) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.all([act(), inTime(woken, what)]);
    }
  } finally {
    stop();
  }
}

async function inTime(woken: Promise<void>, what: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const late = () => reject(new ClauseBroken(`No hint came after ${what} within hintTimeoutMs = ${hintTimeoutMs}.`));
    timer = setTimeout(late, hintTimeoutMs);
  });
  try {
    await Promise.race([woken, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function hintedOfOne(scene: Scene, watching: Store): Promise<void> {
  const { record } = await scene.create();
  const held = await scene.lease(record.id);
  await hinted(watching, record.id, [
    ["a commit", () => scene.commit(held, [checkpoint(1)])],
    ["a second commit", () => scene.commit(held, [checkpoint(2)])],
    ["a signal", () => scene.store.signal(record.id, { kind: "pause" })],
  ]);
}

async function hintedOfAny(scene: Scene, watching: Store): Promise<void> {
  const task = scene.newTask();
  await hinted(watching, undefined, [["a creation", () => scene.create(task)]]);
  const held = await scene.lease(task.id);
  await hinted(watching, undefined, [
    ["a release", () => scene.store.releaseLease(held)],
    ["a signal", () => scene.store.signal(task.id, { kind: "cancel" })],
    ["a second creation", () => scene.create()],
  ]);
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
      await hinted(scene.store, record.id, [["a commit", () => scene.commit(held, [checkpoint(1)])]]);
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
