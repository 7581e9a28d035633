import { expect, test } from "vitest";
import { SharedSync } from "./shared-sync.js";

/** A sync whose runs are ended by hand. */
function byHand() {
  const runs: { readonly succeed: () => void; readonly fail: (error: Error) => void }[] = [];
  const sync = new SharedSync(
    () => new Promise<void>((resolve, reject) => void runs.push({ succeed: resolve, fail: reject })),
  );
  return { sync, runs };
}

test("lets those who ask during a sync share the next one", async () => {
  const { sync, runs } = byHand();
  const first = sync.request();
  const others = [sync.request(), sync.request()];
  expect(runs).toHaveLength(1);
  runs[0]?.succeed();
  await first;
  await Promise.resolve();
  expect(runs).toHaveLength(2);
  runs[1]?.succeed();
  await Promise.all(others);
  await sync.idle();
  expect(runs).toHaveLength(2);
});

test("fails those who wait for the next sync with the one before it, and begins again for those who ask later", async () => {
  const { sync, runs } = byHand();
  const first = sync.request();
  const second = sync.request();
  runs[0]?.fail(new Error("EIO"));
  await expect(first).rejects.toThrow("EIO");
  await expect(second).rejects.toThrow("EIO");
  expect(runs).toHaveLength(1);
  const third = sync.request();
  runs[1]?.succeed();
  await expect(third).resolves.toBeUndefined();
});

test("is not idle between a sync and the next, for which a caller waits", async () => {
  const { sync, runs } = byHand();
  const seen: string[] = [];
  const first = sync.request().then(() => sync.idle().then(() => void seen.push("idle")));
  const second = sync.request().then(() => void seen.push("second"));
  runs[0]?.succeed();
  while (runs.length < 2) await Promise.resolve();
  runs[1]?.succeed();
  await Promise.all([first, second]);
  expect(seen).toEqual(["second", "idle"]);
});
