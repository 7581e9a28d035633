import { describe, expect, it } from "vitest";
import { ResumableError, type TaskContext } from "../src/index.js";
import { createScene, failOnUnhandledRejections, job } from "./scene.js";

failOnUnhandledRejections();

describe("a caller that leaves (G8)", () => {
  const waiting = () =>
    job(async function* (task: TaskContext<{ at: number }, number>) {
      await task.sleep("nap", 5_000);
      yield { progress: 1 };
      return "done";
    });

  it("stops a task that no other caller waits for, resumable (G8.5)", async () => {
    const { tasks, store, rest, clock } = createScene([waiting()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const first = tasks.addWaiter(record.id);
    const second = tasks.addWaiter(record.id);
    await rest();
    first("cancelled");
    first("cancelled");
    await rest();
    expect((await tasks.get(record.id)).status).toBe("running");
    second("cancelled");
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    const { events } = await store.readEvents(record.id, { afterSeq: 0, limit: 100 });
    expect(events.at(-2)).toMatchObject({ type: "desiredState", desiredState: "pause", cause: "caller_left" });
    await tasks.start({ tool: "job", input: {} });
    await clock.advance(5_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  /** A task whose caller cancels its request while the store cannot take signals. */
  const cancelledOnAFullDisk = async () => {
    let full = true;
    const scene = createScene([waiting()], {}, (store) => ({
      ...store,
      async signal(id, signal) {
        if (!full) return store.signal(id, signal);
        throw new ResumableError("STORE_WRITE_FAILED", "The disk is full.", {
          details: { path: "signals", reason: "ENOSPC" },
        });
      },
    }));
    const { record } = await scene.tasks.start({ tool: "job", input: {} });
    const leave = scene.tasks.addWaiter(record.id);
    await scene.rest();
    leave("cancelled");
    await scene.clock.advance(1_600);
    expect((await scene.tasks.get(record.id)).status).toBe("running");
    // At once, after 500 ms, and 1,000 ms after that.
    expect(scene.errors).toHaveLength(3);
    full = false;
    return { ...scene, id: record.id };
  };

  it("stops the task also where its cancellation met a full disk, once there is room (G8)", async () => {
    const { tasks, clock, id } = await cancelledOnAFullDisk();
    await clock.advance(2_000);
    expect((await tasks.get(id)).status).toBe("paused");
  });

  it("does not stop it any more when another caller has come meanwhile (G8)", async () => {
    const { tasks, clock, id } = await cancelledOnAFullDisk();
    tasks.addWaiter(id)("gone");
    await clock.advance(3_400);
    expect((await tasks.get(id)).status).toBe("completed");
  });

  it("lets a task run on whose caller is merely gone, that is detached, or whose tool says detach (G8.5)", async () => {
    const detached = job(
      async function* (task) {
        await task.sleep("nap", 5_000);
        yield { progress: 1 };
        return "done";
      },
      { name: "detached", onCallerCancel: "detach" },
    );
    const { tasks, rest } = createScene([waiting(), detached]);
    const gone = await tasks.start({ tool: "job", input: { n: 1 } });
    const handed = await tasks.start({ tool: "job", input: { n: 2 } });
    const own = await tasks.start({ tool: "detached", input: { n: 3 } });
    await rest();
    await tasks.detach(handed.record.id);
    tasks.addWaiter(gone.record.id)("gone");
    tasks.addWaiter(handed.record.id)("cancelled");
    tasks.addWaiter(own.record.id)("cancelled");
    await rest();
    const statuses = await Promise.all(
      [gone, handed, own].map(async ({ record }) => (await tasks.get(record.id)).status),
    );
    expect(statuses).toEqual(["running", "running", "running"]);
  });

  it("lets a task go on when another caller comes while it is being stopped (G8)", async () => {
    const { tasks, clock } = createScene([waiting()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(0);
    tasks.addWaiter(record.id)("cancelled");
    tasks.addWaiter(record.id);
    await clock.advance(10_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
