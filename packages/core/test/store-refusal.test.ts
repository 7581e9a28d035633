import { expect, it } from "vitest";
import type { MemoryStore, Store } from "../src/index.js";
import type { ManualClock } from "../src/testing/manual-clock.js";
import { createManualClock } from "../src/testing.js";
import { createScene, diskFull, failOnUnhandledRejections, gatedCount } from "./scene.js";

failOnUnhandledRejections();

it("an attempt that the store does not let watch its task gives the lease back, leaves no timer behind, and the task is tried again (G11, G12)", async () => {
  const [attemptTimeout, stallTimeout] = [50_001, 70_001];
  const { clock, pending } = countTimers();
  const timersOfAttempts = () => [attemptTimeout, stallTimeout].map((ms) => pending(ms));
  const { tool, gates } = gatedCount(1, { attemptTimeout, stallTimeout });
  let refusals = 1;
  const refusing = (store: MemoryStore): Store => ({
    ...store,
    watch(taskId, wake) {
      if (taskId === undefined || refusals === 0) return store.watch(taskId, wake);
      refusals -= 1;
      throw diskFull();
    },
  });
  const { tasks, rest, errors } = createScene([tool], {}, refusing, undefined, clock);
  const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
  await rest();
  expect(errors).toMatchObject([{ code: "STORE_WRITE_FAILED" }]);
  expect(timersOfAttempts()).toEqual([0, 0]);
  await clock.advance(5_000);
  expect(timersOfAttempts()).toEqual([1, 1]);
  for (const gate of gates) gate.open();
  await rest();
  expect((await tasks.get(record.id)).status).toBe("completed");
  expect(timersOfAttempts()).toEqual([0, 0]);
});

/** A clock that is turned by hand, and how many of its timers of a delay have neither run nor been stopped. */
function countTimers(): { readonly clock: ManualClock; readonly pending: (delayMs: number) => number } {
  const clock = createManualClock();
  const timers = new Set<{ readonly delayMs: number }>();
  return {
    clock: {
      ...clock,
      after(delayMs, run) {
        const timer = { delayMs };
        const stop = clock.after(delayMs, () => {
          timers.delete(timer);
          run();
        });
        timers.add(timer);
        return () => {
          timers.delete(timer);
          stop();
        };
      },
    },
    pending: (delayMs) => [...timers].filter((timer) => timer.delayMs === delayMs).length,
  };
}

it("a deletion that the store refuses gives the lease back, so that it can be tried again (G12)", async () => {
  const { tool, gates } = gatedCount(1);
  let refusals = 1;
  const { tasks, clock, rest } = createScene([tool], {}, (store) => ({
    ...store,
    async deleteTask(lease) {
      if (refusals-- > 0) throw diskFull();
      await store.deleteTask(lease);
    },
  }));
  gates[0]?.open();
  const { record } = await tasks.start({ tool: "job", input: {} });
  await rest();
  await expect(tasks.delete(record.id)).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
  const deleted = tasks.delete(record.id).then(
    () => "deleted",
    (error: unknown) => error,
  );
  await clock.advance(5_000);
  expect(await deleted).toBe("deleted");
});

it("an engine that is closed while it opens leaves nothing behind that asks the store (G12)", async () => {
  const { tool } = gatedCount(1);
  let beats = 0;
  const { engine, clock, errors } = createScene([tool], { limits: { heartbeatMs: 1_000 } }, (store) => ({
    ...store,
    async heartbeat(request) {
      beats += 1;
      await store.heartbeat(request);
    },
  }));
  const opened = engine.open().then(
    () => "opened",
    (error: unknown) => error,
  );
  await engine.close();
  expect(await opened).toMatchObject({ code: "DRAINING" });
  await clock.advance(5_000);
  expect([beats, errors]).toEqual([1, []]);
});
