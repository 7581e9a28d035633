import { describe, expect, it } from "vitest";
import type { LimitRules } from "../src/engine.js";
import { createGate, createScene, failOnUnhandledRejections, gatedCount, job, quick } from "./scene.js";

failOnUnhandledRejections();

const render = job(
  async function* () {
    yield {};
    return "done";
  },
  { name: "render", ttl: 5_000 },
);

describe("rules for single tools and owners (G11)", () => {
  it("decide how long finished tasks are kept: of a tool's and an owner's time the shorter one (G11)", async () => {
    const limitRules: LimitRules = {
      render: { ttlMs: 20_000 },
      "client:a": { ttlMs: 10_000 },
      "client:b": { ttlMs: 90_000 },
      "session:*": { ttlMs: 1_000 },
    };
    const { engine, clock, rest } = createScene([render, quick], { limits: { ttlMs: 60_000 }, limitRules });
    const kept = async (owner: string, tool: string) =>
      (await engine.forOwner(owner).start({ tool, input: {} })).record.ttlMs;
    const owners = ["client:a", "client:b", "session:s", "sub:c"];
    const both = await Promise.all(
      owners.map(async (owner) => [await kept(owner, "render"), await kept(owner, "job")]),
    );
    expect(both).toEqual([
      [10_000, 10_000],
      [20_000, 90_000],
      [1_000, 1_000],
      [20_000, 60_000],
    ]);
    await rest();
    await clock.advance(15_000);
    expect(await engine.sweep()).toBe(4);
    await clock.advance(10_000);
    expect(await engine.sweep()).toBe(2);
  });

  it("leave a tool's own time and the engine's where they say nothing, and keep nothing longer than a tool's own time (G11)", async () => {
    const limitRules = { "client:b": { ttlMs: 1 }, "session:*": { ttlMs: 20_000 } };
    const { engine } = createScene([render, quick], { limits: { ttlMs: 60_000 }, limitRules });
    const kept = async (owner: string) => {
      const tasks = engine.forOwner(owner);
      return [
        (await tasks.start({ tool: "render", input: {} })).record.ttlMs,
        (await tasks.start({ tool: "job", input: {} })).record.ttlMs,
      ];
    };
    expect(await kept("client:a")).toEqual([5_000, 60_000]);
    expect(await kept("client:b")).toEqual([1, 1]);
    expect(await kept("session:s")).toEqual([5_000, 20_000]);
  });

  it("that keep finished tasks for any time keep them for 100 years, which every store can write down (G11)", async () => {
    const any = Number.POSITIVE_INFINITY;
    const { engine } = createScene([render, quick], { limits: { ttlMs: any }, limitRules: { render: { ttlMs: any } } });
    const tasks = engine.forOwner("client:a");
    const century = 100 * 365 * 24 * 60 * 60 * 1000;
    for (const tool of ["render", "job"]) {
      expect((await tasks.start({ tool, input: {} })).record.ttlMs).toBe(century);
    }
  });

  it("decide how many unfinished tasks an owner may have, and each owner of a kind, also when failed ones continue (G11)", async () => {
    const { tool } = gatedCount(1);
    const failing = job(
      // biome-ignore lint/correctness/useYield: it fails before its first checkpoint.
      async function* () {
        throw new Error("fails");
      },
      { name: "failing" },
    );
    const limitRules: LimitRules = {
      "client:*": { maxUnfinishedPerOwner: 1 },
      "client:b": { maxUnfinishedPerOwner: 2 },
    };
    const { engine, rest } = createScene([tool, failing], { limits: { maxUnfinishedPerOwner: 3 }, limitRules });
    const failed = await engine.forOwner("client:a").start({ tool: "failing", input: {} });
    await rest();
    const allowed: Record<string, number> = {};
    for (const owner of ["client:a", "client:b", "client:c", "sub:d"]) {
      allowed[owner] = 0;
      for (const n of [1, 2, 3, 4]) {
        const start = engine.forOwner(owner).start({ tool: "job", input: { n } });
        const refused = {
          code: "LIMIT_EXCEEDED",
          details: { limit: "maxUnfinishedPerOwner", allowed: allowed[owner] },
        };
        await start.then(
          () => (allowed[owner] = (allowed[owner] ?? 0) + 1),
          (error: unknown) => expect(error).toMatchObject(refused),
        );
      }
    }
    expect(allowed).toEqual({ "client:a": 1, "client:b": 2, "client:c": 1, "sub:d": 3 });
    const again = engine.forOwner("client:a").start({ tool: "failing", input: {} });
    await expect(again).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(failed.record.tool).toBe("failing");
  });

  it("decide how many tasks of a tool run at once, more or fewer than the tool itself says (G11)", async () => {
    const gate = createGate();
    const waiting = (name: string, maxRunning?: number) =>
      job(
        async function* () {
          await gate.opened;
          yield {};
          return "done";
        },
        { name, maxRunning },
      );
    const limitRules: LimitRules = { one: { maxRunning: 2 }, many: { maxRunning: 1 } };
    const { engine, tasks, rest } = createScene([waiting("one", 1), waiting("many"), waiting("own", 1)], {
      limitRules,
    });
    const tools: string[] = [];
    for (const tool of ["one", "many", "own"]) for (const n of [1, 2, 3]) await tasks.start({ tool, input: { n } });
    await rest();
    for (const id of engine.running) tools.push((await tasks.get(id)).record.tool);
    expect(tools.sort()).toEqual(["many", "one", "one", "own"]);
    gate.open();
    await rest();
    expect(await tasks.count()).toMatchObject({ byStatus: { completed: 9 } });
  });

  it.each([
    [{ rendr: { ttlMs: 1 } }, '"rendr" is not a tool, nor an owner such as sub:alice or session:*. Tools: render.'],
    [{ "*": { ttlMs: 1 } }, '"*" is not a tool'],
    [{ render: { maxUnfinishedPerOwner: 1 } }, "maxUnfinishedPerOwner is for owners alone, and render is not one."],
    [{ "sub:a": { ttlMs: -1 } }, "ttlMs of sub:a must be 0 or more, not -1."],
    [{ "sub:a": { maxRunning: 1 } }, "maxRunning is for tools alone, and sub:a is not one."],
    [{ "sub:a": { maxJournalBytes: 1 } as object }, "maxJournalBytes is not a limit of single tools or owners: ttlMs,"],
  ])("are refused when they could never count: %j", (limitRules: LimitRules, sentence) => {
    const make = () => createScene([render], { limitRules });
    expect(make).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(sentence) }),
    );
  });
});
