import type { TaskInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { fakeTask } from "../../../test/fake-client.js";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { type BoardTask, newBoardTask } from "../../model/board-task.js";
import type { KeyPress } from "../keys/key-press.js";
import { type BoardViewState, initialBoardView, reduceBoardView, shownTasks } from "./board-view-state.js";

/** A task of which no more is known than that it is there. */
const task = (id: string, more: Partial<TaskInfo> = {}): BoardTask => {
  const { message: _message, percent: _percent, createdAt: _createdAt, ...plain } = fakeTask(id);
  return newBoardTask({ ...plain, tool: "count", ...more });
};

describe("the list of tasks", () => {
  const tasks = [
    task("old", { status: "completed", createdAt: "2026-11-20T00:00:00Z" }),
    task("new", { status: "running", createdAt: "2026-11-21T00:00:00Z", message: "Processed", tool: "zip" }),
    task("waits", { status: "paused", createdAt: "2026-11-19T00:00:00Z", percent: 50 }),
  ];
  const ids = (view: Partial<BoardViewState>) =>
    shownTasks(tasks, { ...initialBoardView, ...view }).map(({ info }) => info.id);
  const pressed = (...keys: KeyPress[]) =>
    keys.reduce((state, press) => reduceBoardView(state, press, tasks).state, initialBoardView);

  it("shows what is not over first, then the newest", () => {
    expect(ids({})).toEqual(["new", "waits", "old"]);
    expect(ids({ finished: false, filter: "PROC" })).toEqual(["new"]);
  });

  it("finds by server and by the word for a status", () => {
    expect([ids({ filter: "a:80" }), ids({ filter: "paused" })]).toEqual([[], ["waits"]]);
  });

  it("is ordered by what the user chose, what runs still first and what is over last", () => {
    expect([ids({ sort: "name" }), ids({ sort: "progress" }), ids({ sort: "server" })]).toEqual([
      ["new", "waits", "old"],
      ["new", "waits", "old"],
      ["new", "waits", "old"],
    ]);
  });

  it("is ordered by the time that is left, and unknown comes last", () => {
    const pace = (perSecond: number) =>
      [0, 1, 2, 3].map((second) => ({ atMs: second * 1000, progress: second * perSecond }));
    const slow = { ...task("slow", { total: 100, progress: 3 }), pace: pace(1) };
    const fast = { ...task("fast", { total: 100, progress: 30 }), pace: pace(10) };
    const shown = shownTasks([task("unknown"), slow, fast], { ...initialBoardView, sort: "time left" });
    expect(shown.map(({ info }) => info.id)).toEqual(["fast", "slow", "unknown"]);
  });

  it("goes round its times by t, and Esc takes one back before it leaves", () => {
    const ranges = [1, 2, 3].map((times) => pressed(...Array.from({ length: times }, () => typed("t"))).range);
    expect(ranges).toEqual(["hour", "day", "all"]);
    const back = reduceBoardView(pressed(typed("t")), named("escape"), tasks);
    expect([back.state.range, back.outcome]).toEqual(["all", undefined]);
  });

  it("goes round its orders by s, and shows the unfinished only by u", () => {
    const orders = [1, 2, 3, 4, 5].map((times) => pressed(...Array.from({ length: times }, () => typed("s"))).sort);
    expect(orders).toEqual(["name", "progress", "time left", "server", "newest"]);
    expect([pressed(typed("u")).finished, pressed(typed("u"), typed("u")).finished]).toEqual([false, true]);
  });

  it.each([
    ["p", { type: "pause", taskIds: ["new"] }],
    ["r", { type: "resume", taskIds: ["new"] }],
    ["c", { type: "cancel", taskIds: ["new"] }],
    ["d", { type: "delete", taskIds: ["new"] }],
    ["g", { type: "refresh" }],
    ["?", { type: "keys" }],
    ["q", { type: "back" }],
    ["x", undefined],
  ])("means by %s %j", (text, outcome) => {
    expect(reduceBoardView(initialBoardView, typed(text), tasks).outcome).toEqual(outcome);
  });

  it("opens a task on Enter, and nothing where there is none", () => {
    expect(reduceBoardView(initialBoardView, named("enter"), tasks).outcome).toEqual({ type: "open", taskId: "new" });
    expect(reduceBoardView(initialBoardView, named("enter"), []).outcome).toBeUndefined();
  });

  it("marks and unmarks by Space, which moves to the next, and Escape takes the marks back first", () => {
    const two = pressed(typed(" "), typed(" "));
    expect([[...two.marked], two.cursor]).toEqual([["new", "waits"], 2]);
    expect([...pressed(typed(" "), named("up"), typed(" ")).marked]).toEqual([]);
    expect([...pressed(typed("*"), typed("*")).marked]).toEqual([]);
    const left = reduceBoardView(two, named("escape"), tasks);
    expect([left.state.marked.size, left.outcome]).toEqual([0, undefined]);
  });

  it("filters as one types, and Escape first clears the filter", () => {
    const view = pressed(typed("/"), typed("p"), typed("x"), named("backspace"), pasted("a"), named("enter"));
    expect([view.filter, view.typing]).toEqual(["pa", false]);
    const cleared = reduceBoardView(view, named("escape"), tasks);
    expect([cleared.state.filter, cleared.outcome]).toEqual(["", undefined]);
    expect(reduceBoardView(cleared.state, named("escape"), tasks).outcome).toEqual({ type: "back" });
  });

  it("takes back one whole character of the filter by Backspace, also of those that are two to the machine", () => {
    expect(pressed(typed("/"), pasted("a🎉"), named("backspace")).filter).toBe("a");
  });

  it("says what is wanted with the task under the cursor", () => {
    expect(reduceBoardView({ ...initialBoardView, cursor: 1 }, typed("r"), tasks).outcome).toEqual({
      type: "resume",
      taskIds: ["waits"],
    });
    expect(reduceBoardView(initialBoardView, typed("p"), []).outcome).toBeUndefined();
  });

  it("means the marked tasks instead, of those that are seen, and forgets the marks", () => {
    const step = reduceBoardView(pressed(typed("*")), typed("c"), tasks);
    expect([step.outcome, step.state.marked.size]).toEqual([{ type: "cancel", taskIds: ["new", "waits", "old"] }, 0]);
    const hidden = pressed(typed("*"), typed("/"), typed("zip"), named("enter"));
    expect(reduceBoardView(hidden, typed("p"), tasks).outcome).toEqual({ type: "pause", taskIds: ["new"] });
  });

  it("keeps its cursor at the task when others overtake it", () => {
    const at = pressed(named("down"));
    const later = [...tasks, task("newest", { createdAt: "2026-11-22T00:00:00Z" })];
    expect(reduceBoardView(at, typed("c"), later).outcome).toEqual({ type: "cancel", taskIds: ["waits"] });
  });

  it("does nothing with what is pasted", () => {
    expect(reduceBoardView(initialBoardView, pasted("c y p f"), tasks)).toEqual({
      state: { ...initialBoardView, at: "new" },
    });
  });
});
