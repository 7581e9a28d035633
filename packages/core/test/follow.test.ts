import { describe, expect, it } from "vitest";
import type { Followed } from "../src/engine.js";
import { createMemoryStore } from "../src/index.js";
import { createScene, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

const seqOf = (entry: Followed) => (entry.kind === "event" ? entry.event.seq : entry.record.lastSeq);

describe("following (G5)", () => {
  it("shows every event once and in order across the death of the server and of the follower (G5.1)", async () => {
    const { tool, gates } = gatedCount(3);
    const scene = createScene([tool]);
    const { record } = await scene.tasks.start({ tool: "job", input: {}, detached: true });
    gates[0]?.open();
    await scene.rest();
    const seen: number[] = [];
    for await (const entry of scene.tasks.follow(record.id)) {
      seen.push(seqOf(entry));
      if (seen.length === 2) break;
    }
    scene.store.kill({ noticed: true });
    for (const gate of gates) gate.open();
    const next = scene.another();
    await next.engine.open();
    const rest = (async () => {
      for await (const entry of next.tasks.follow(record.id, { afterSeq: 2 })) seen.push(seqOf(entry));
    })();
    await next.rest();
    await rest;
    const { lastSeq } = (await next.tasks.get(record.id)).record;
    expect(seen).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  });

  it("misses nothing that happens while its caller is busy with what it got (G5)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const seen: number[] = [];
    const following = (async () => {
      for await (const entry of tasks.follow(record.id)) {
        seen.push(seqOf(entry));
        if (seen.length !== 2) continue;
        for (const gate of gates) gate.open();
        await rest();
      }
    })();
    await rest();
    await rest();
    await following;
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it("shows what happens in another process (G5)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const seen: string[] = [];
    const following = (async () => {
      for await (const entry of another().tasks.follow(record.id)) {
        seen.push(entry.kind === "event" ? entry.event.type : entry.kind);
      }
    })();
    await rest();
    expect(seen).toEqual(["created", "attempt_started"]);
    for (const gate of gates) gate.open();
    await rest();
    await following;
    expect(seen.slice(2)).toEqual(["checkpoint", "checkpoint", "completed"]);
  });

  it("marks what compaction took away with one snapshot, and continues directly behind it (G5.2)", async () => {
    const { tool, gates } = gatedCount(20);
    const { tasks, rest } = createScene([tool], {}, (store) => store, createMemoryStore({ maxEvents: 6 }));
    const { record } = await tasks.start({ tool: "job", input: {} });
    for (const gate of gates) gate.open();
    await rest();
    const history = await historyOf(tasks, record.id, 2);
    const [first, ...others] = history;
    const from = Number(first?.split(" ")[0]);
    expect(first).toBe(`${from} snapshot`);
    const places = others.map((entry) => Number(entry.split(" ")[0]));
    expect(places).toEqual(places.map((_, index) => from + 1 + index));
    expect(others.at(-1)).toBe("23 completed");
  });

  it("refuses a cursor that is ahead of the journal, or none at all (G5.3)", async () => {
    const { tool } = gatedCount(1);
    const { tasks } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    for (const afterSeq of [99, -1, 1.5, Number.NaN]) {
      const next = tasks.follow(record.id, { afterSeq })[Symbol.asyncIterator]().next();
      await expect(next).rejects.toMatchObject({ code: "INVALID_VALUE" });
    }
  });

  it("ends at the final event, also for a follower that comes later, and continues behind it when the task was resumed (G5)", async () => {
    const tool = job(async function* (task) {
      if (task.state.at === 0) {
        yield { progress: 1, state: { at: 1 } };
        throw new Error("no");
      }
      yield { progress: 2 };
      return "done";
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const all = async (afterSeq: number) => {
      const types: string[] = [];
      for await (const entry of tasks.follow(record.id, { afterSeq }))
        types.push(entry.kind === "event" ? entry.event.type : "snapshot");
      return types;
    };
    expect(await all(0)).toEqual(["created", "attempt_started", "checkpoint", "failed"]);
    await tasks.resume(record.id);
    await rest();
    expect(await all(3)).toEqual(["failed", "restarted", "attempt_started", "checkpoint", "completed"]);
    expect(await all(8)).toEqual([]);
  });

  it("ends when its caller aborts it, and the task continues (G5, G8)", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const stop = new AbortController();
    const following = (async () => {
      for await (const entry of tasks.follow(record.id, { signal: stop.signal })) if (seqOf(entry) === 2) stop.abort();
    })();
    await rest();
    await following;
    gates[0]?.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});

describe("waiting", () => {
  it("ends when the time is over or its caller leaves, and the task continues (G8, G11)", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, rest, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const leave = new AbortController();
    const patient = tasks.wait(record.id, { timeoutMs: 5_000 });
    const leaving = tasks.wait(record.id, { signal: leave.signal });
    await rest();
    leave.abort();
    await clock.advance(5_000);
    expect([(await patient).reason, (await leaving).reason]).toEqual(["timeout", "timeout"]);
    gates[0]?.open();
    await rest();
    expect((await tasks.wait(record.id)).reason).toBe("finished");
  });
});

describe("progress (G6)", () => {
  it("never goes back: a lower value is refused and ends the task (G6.1)", async () => {
    const tool = job(async function* () {
      yield { progress: 2 };
      yield { progress: 1 };
      return "never";
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { progress: 2, error: { code: "PROGRESS_WENT_BACK" } },
    });
  });

  it("becomes visible together with state, items and the event that tells of it (G3.1)", async () => {
    const { tool, gates } = gatedCount(3);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const torn: unknown[] = [];
    const checking = (async () => {
      for await (const entry of tasks.follow(record.id)) {
        if (entry.kind !== "event" || entry.event.type !== "checkpoint") continue;
        const { progress, state, itemCount } = (await tasks.get(record.id)).record;
        const { total } = await tasks.items(record.id);
        torn.push([progress, state, itemCount, total]);
      }
    })();
    for (const gate of gates) {
      gate.open();
      await rest();
    }
    await checking;
    expect(torn).toEqual([1, 2, 3].map((at) => [at, { at }, at, at]));
  });

  it.each([
    ["Infinity in the state", { progress: 1, state: { at: Number.POSITIVE_INFINITY } }, "NOT_JSON"],
    ["a date among the items", { progress: 1, append: [new Date(0)] }, "INVALID_VALUE"],
    ["a negative progress", { progress: -1 }, "INVALID_VALUE"],
    ["no object at all", 7, "INVALID_VALUE"],
  ])(
    "is refused in the first run with %s, and nothing of the checkpoint is kept (G3.2)",
    async (_what, wrong, code) => {
      const tool = job(async function* () {
        yield { progress: 0, append: [1] };
        // What a tool yields that was written without types.
        yield wrong as never;
        return "never";
      });
      const { tasks, rest } = createScene([tool]);
      const { record } = await tasks.start({ tool: "job", input: {} });
      await rest();
      expect(await tasks.get(record.id)).toMatchObject({ status: "failed", record: { itemCount: 1, error: { code } } });
    },
  );
});
