import { decodeTask, type JsonObject } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import { wireTask } from "../../test/fake-server.js";
import { type PanelTask, seenTask, withEvents } from "./panel-task.js";
import { listRoute } from "./route.js";
import { type ListView, shownTasks } from "./task-list.js";

function task(id: string, more: JsonObject = {}): PanelTask {
  const info = decodeTask(wireTask(id, more));
  if (info === undefined) throw new Error("The test's task is not one.");
  return seenTask(undefined, info, 0);
}

const tasks = [
  task("old", { created_at: "2026-11-20T00:00:00Z", task_name: "zip", progress_percent: 90 }),
  task("new", { created_at: "2026-11-22T00:00:00Z", label: "March letters" }),
  task("asks", { status: "input_required" }),
  task("cut", { interrupted: true }),
  task("failed", { status: "failed", error: { code: "TOOL_FAILED", message: "No date in March." } }),
  task("done", { status: "completed", finished_at: "2026-11-22T11:30:00Z" }),
];
const view: ListView = listRoute;
const nowMs = Date.parse("2026-11-22T12:00:00Z");
const shown = (more: Partial<ListView>) =>
  shownTasks(tasks, { ...view, ...more }, ({ info }) => (info.status === "completed" ? "fertig" : ""), nowMs).map(
    ({ info }) => info.id,
  );

describe("the list of tasks", () => {
  it("shows what is not over first, the newest first", () => {
    expect(shown({})).toEqual(["new", "asks", "cut", "old", "failed", "done"]);
  });

  it.each<[ListView["order"], first: readonly string[]]>([
    ["task", ["asks", "cut", "failed", "done", "new", "old"]],
    ["status", ["new", "asks", "cut", "old", "failed", "done"]],
    ["progress", ["old", "new", "asks", "cut", "failed", "done"]],
    ["time", ["old", "asks", "done", "new", "cut", "failed"]],
  ])("is sorted by the column %s alone, and turned around", (order, first) => {
    expect(shown({ order })).toEqual(first);
    const ends = (ids: readonly string[]) => [ids[0], ids.at(-1)];
    const groups: Readonly<Record<string, readonly [string, string]>> = {
      ...{ task: ["old", "done"], status: ["done", "failed"] },
      ...{ progress: ["new", "old"], time: ["cut", "old"] },
    };
    expect(ends(shown({ order, reversed: true }))).toEqual(groups[order]);
  });

  it.each<ListView["order"]>(["rate", "left"])("has last what has no %s, in both directions", (order) => {
    const paced = (id: string, progress: number) =>
      seenTask(task(id, { progress: 0 }), task(id, { progress, last_seq: 10 }).info, 2_000);
    const some = [task("unknown"), paced("slow", 10), paced("fast", 40)];
    const sorted = (reversed: boolean) =>
      shownTasks(some, { ...view, order, reversed }, () => "", 2_000).map(({ info }) => info.id);
    expect([sorted(false), sorted(true)]).toEqual([
      ["fast", "slow", "unknown"],
      ["slow", "fast", "unknown"],
    ]);
  });

  it.each<[Partial<ListView>, readonly string[]]>([
    [{ show: "active" }, ["new", "asks", "cut", "old"]],
    [{ show: "waiting" }, ["asks"]],
    [{ show: "failed" }, ["cut", "failed"]],
    [{ show: "finished" }, ["failed", "done"]],
    [{ words: "march" }, ["new", "failed"]],
    [{ words: " letters  MARCH " }, ["new"]],
    [{ words: "interrupted" }, ["cut"]],
    [{ words: "90%" }, ["old"]],
    [{ words: "fertig" }, ["done"]],
    [{ words: "march nothing" }, []],
    [{ tool: "zip" }, ["old"]],
    [{ range: "hour", show: "finished" }, ["done"]],
    [{ range: "hour", show: "active" }, ["new", "asks", "cut", "old"]],
  ])("shows for %j %j", (more, expected) => {
    expect(shown(more)).toEqual(expected);
  });
});

describe("what is known of a task", () => {
  const info = (more: JsonObject) => task("a", more).info;

  it("has a rate from what was seen of it, which is over when it stands or goes back", () => {
    let seen = task("a", { progress: 10 });
    seen = seenTask(seen, info({ progress: 14, last_seq: 10 }), 2_000);
    expect(seen.pace).toEqual([
      { atMs: 0, progress: 10 },
      { atMs: 2_000, progress: 14 },
    ]);
    expect(seenTask(seen, info({ progress: 14, last_seq: 11, status: "paused" }), 3_000).pace).toEqual([]);
  });

  it("holds of a journal no more than can be shown of each event", () => {
    const data: JsonObject = { level: "info", data: { deep: ["x".repeat(100_000), "y"] } };
    const events = Array.from({ length: 3_000 }, (_, index) => ({ seq: index + 1, type: "log", data }));
    const journal = withEvents(undefined, { lastSeq: 3_000, arguments: data, events });
    expect([journal.events.length, journal.events[0]?.seq]).toEqual([2_000, 1_001]);
    expect(JSON.stringify(journal).length).toBeLessThan(2_000 * 2_500);
    const { arguments: kept } = withEvents(journal, { lastSeq: 3_000, events: [] });
    expect([kept?.level, JSON.stringify(kept).length < 25_000]).toEqual(["info", true]);
  });

  it("loses the result of a run that is not the last one", () => {
    const over = { ...task("a", { status: "failed" }), result: { isError: true } };
    const again = seenTask(over, info({ status: "running", generation: 2, last_seq: 12 }), 0);
    expect([again.result, again.pace.length]).toEqual([undefined, 1]);
  });
});
