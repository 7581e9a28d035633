import { decodeTask, type JsonObject, type TaskFacts } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import { fakeModel, wireTask } from "../../test/fake-server.js";
import { CallError } from "../connection/connection.js";
import { type CalledTask, maxFamily, readFamily } from "./family.js";
import { seenAlone } from "./panel-task.js";

const called = (status: string, ...ids: readonly string[]): JsonObject => ({
  children: ids.map((id) => ({ task_id: id, task_name: "render", key: `page ${id}`, status })),
});

function factsOf(id: string, more: JsonObject = {}): TaskFacts {
  const info = decodeTask(wireTask(id, more));
  if (info === undefined) throw new Error("The test's task is not one.");
  return info;
}

/** The ids of a tree, those of each task behind it in brackets. */
const written = (tree: readonly CalledTask[]): string =>
  tree.map(({ facts, children }) => facts.taskId + (children.length === 0 ? "" : `(${written(children)})`)).join(" ");

const known = (...infos: readonly TaskFacts[]) =>
  new Map(infos.map((info) => [info.id, seenAlone(undefined, info, 0)]));

describe("what a task called", () => {
  it("is a tree of all levels, the newest first", () => {
    const tasks = known(factsOf("b", called("called", "d", "e")), factsOf("e", called("failed", "f")), factsOf("f"));
    const [tree, all] = readFamily(factsOf("a", called("called", "b", "c")), tasks);
    expect([written(tree), all.map(({ facts }) => facts.taskId)]).toEqual(["c b(e(f) d)", ["c", "b", "e", "d", "f"]]);
  });

  it("has an end, also where a server says that tasks call each other, or very many", () => {
    const tasks = known(factsOf("b", called("called", "a", "c")), factsOf("c", called("called", "b", "c")));
    expect(written(readFamily(factsOf("a", called("called", "b")), tasks)[0])).toBe("b(c)");
    const many = Array.from({ length: 2 * maxFamily }, (_, index) => `t${index}`);
    expect(readFamily(factsOf("a", called("called", ...many)), tasks)[1]).toHaveLength(maxFamily);
  });

  it("is read level by level, what has ended once, and a task that was deleted is not asked for again", async () => {
    const tasks: Readonly<Record<string, JsonObject>> = {
      a: wireTask("a", called("called", "b", "c")),
      b: wireTask("b", called("returned", "d", "gone")),
      c: wireTask("c"),
      d: wireTask("d", { status: "completed", ...called("returned", "e") }),
      e: wireTask("e", { status: "completed" }),
    };
    const unknown = new CallError("refused", "Task x not found.", "TASK_NOT_FOUND");
    const page = fakeModel({
      get_task: ({ task_id }) => tasks[String(task_id)] ?? unknown,
      get_task_journal: { last_seq: 9, events: [] },
    });
    const asked = () => page.calls.splice(0).flatMap(([tool, { task_id }]) => (tool === "get_task" ? [task_id] : []));
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    expect(asked()).toEqual(["a", "c", "b", "gone", "d", "e"]);
    await page.tick();
    expect(asked()).toEqual(["a", "c", "b"]);
  });

  it("is read piece by piece where it is large", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const page = fakeModel({
      get_task: ({ task_id }) =>
        task_id === "a"
          ? wireTask("a", called("returned", ...ids))
          : wireTask(String(task_id), { status: "completed" }),
      get_task_journal: { last_seq: 9, events: [] },
    });
    const asked = () => page.calls.splice(0).filter(([tool]) => tool === "get_task").length;
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    const first = asked();
    await page.tick();
    const second = asked();
    await page.tick();
    expect([first, second, asked()]).toEqual([17, 5, 1]);
  });
});
