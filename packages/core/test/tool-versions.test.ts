import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, historyOf, job, jobInput } from "./scene.js";

failOnUnhandledRejections();

describe("another version of a tool", () => {
  const versioned = (version: string, extras: Parameters<typeof job>[1] = {}) => {
    const states: unknown[] = [];
    const gate = createGate();
    const tool = job(
      async function* (task) {
        states.push(task.state);
        if (task.state.at === 0) yield { progress: 3, state: { at: 3 }, append: [3] };
        await gate.opened;
        yield { progress: 4 };
        return `by version ${version}`;
      },
      { version, accepts: ["1"], ...extras },
    );
    return { tool, states, gate };
  };
  /** A task at 3 that version 1 left, and an engine that has another version. */
  const upgrade = async (next: ReturnType<typeof versioned>) => {
    const old = versioned("1");
    const { tasks, store, rest, clock } = createScene([old.tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await rest();
    store.kill({ noticed: true });
    const scene = createScene([next.tool], {}, (same) => same, store.anotherProcess(), clock);
    await scene.engine.open();
    await scene.rest();
    return { ...scene, id: record.id };
  };

  it("continues where the last one left off, by default (G2)", async () => {
    const next = versioned("2");
    const { tasks, id, rest } = await upgrade(next);
    next.gate.open();
    await rest();
    expect((await tasks.get(id)).record).toMatchObject({ output: "by version 2", generation: 1 });
    expect(next.states).toEqual([{ at: 3 }]);
  });

  it("migrates the state of the version that wrote it, again when it died before its own first checkpoint (G2)", async () => {
    const migrate = (state: unknown, from: string) => ({ ...(state as object), from });
    const next = versioned("2", { migrate });
    const { store, clock } = await upgrade(next);
    store.kill({ noticed: true });
    const last = createScene(
      [next.tool],
      { limits: { crashBackoffMs: 0 } },
      (same) => same,
      store.anotherProcess(),
      clock,
    );
    await last.engine.open();
    await last.rest();
    expect(next.states).toEqual([
      { at: 3, from: "1" },
      { at: 3, from: "1" },
    ]);
  });

  it("starts again from nothing where the policy says restart, and says so (G6.2)", async () => {
    const next = versioned("2", { onVersionChange: "restart" });
    const { tasks, id } = await upgrade(next);
    expect((await tasks.get(id)).record).toMatchObject({ generation: 2, progress: 3, itemCount: 1 });
    expect(await historyOf(tasks, id)).toContain("5 restarted");
    expect(next.states).toEqual([{ at: 0 }]);
  });

  it("fails where the policy says fail, and names both versions (G12)", async () => {
    const { tasks, id } = await upgrade(versioned("2", { onVersionChange: "fail" }));
    const { error } = (await tasks.get(id)).record;
    expect(error).toMatchObject({ code: "VERSION_MISMATCH", message: expect.stringMatching(/version 1 .*version 2/) });
  });

  it("waits when the state does not fit its schema any more, or cannot be migrated (G12)", async () => {
    const schema = z.object({ at: z.number(), unit: z.string() }).default({ at: 0, unit: "rows" });
    const strict = defineTool({
      name: "job",
      description: "Has a schema for its state.",
      version: "2",
      accepts: ["1"],
      input: jobInput,
      state: schema,
      async *run() {
        yield { progress: 9 };
        return "never";
      },
    });
    const broken = versioned("2", {
      migrate: () => {
        throw new Error("no such row");
      },
    });
    const [misfit, unmendable] = [await upgrade({ ...broken, tool: strict }), await upgrade(broken)];
    const views = [await misfit.tasks.get(misfit.id), await unmendable.tasks.get(unmendable.id)];
    expect(views.map(({ status, record }) => [status, record.toolVersion, record.state, record.message])).toEqual([
      ["pending", "1", { at: 3 }, expect.stringMatching(/version 1 does not fit version 2 of job: unit: /)],
      ["pending", "1", { at: 3 }, expect.stringMatching(/version 1 does not fit version 2 of job: no such row/)],
    ]);
    // The same code tries again only when it is asked to.
    const attempts = async () => (await unmendable.tasks.get(unmendable.id)).record.attempt;
    expect(await attempts()).toBe(2);
    await unmendable.clock.advance(120_000);
    expect(await attempts()).toBe(2);
    await unmendable.tasks.resume(unmendable.id);
    await unmendable.clock.advance(120_000);
    expect(await attempts()).toBe(3);
  });
});
