import type { TaskInfo, ToolInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import type { LiveTask } from "../model/board-state.js";
import { initialBoardView, reduceBoardView, shownTasks } from "./board/board-view-state.js";
import { reduceDetail } from "./detail/detail-state.js";
import { formFields } from "./form/form-field.js";
import { check, initialFormState, reduceForm } from "./form/form-state.js";
import type { KeyPress } from "./key-press.js";
import { moveCursor, visibleRange } from "./list-cursor.js";
import { reduceMenu } from "./menu/menu-state.js";
import { currentScreen, type Navigation, navigate } from "./navigation.js";
import { reduceOpening } from "./opening/opening-state.js";
import { reduceToolList } from "./tools/tool-list-state.js";

const type = (text: string): KeyPress => ({ text });
const key = (name: NonNullable<KeyPress["name"]>): KeyPress => ({ text: "", name });

const task = (id: string, more: Partial<TaskInfo> = {}): LiveTask => ({
  seenAtMs: 0,
  log: [],
  info: {
    id,
    tool: "count",
    server: "http://a/mcp",
    status: "running",
    interrupted: false,
    progress: 0,
    attempt: 1,
    generation: 1,
    itemCount: 0,
    lastSeq: 1,
    questions: [],
    ...more,
  },
});

describe("a list", () => {
  it("keeps its cursor inside, also when it shrinks", () => {
    expect([moveCursor(0, key("up"), 3), moveCursor(2, key("down"), 3), moveCursor(9, type("x"), 3)]).toEqual([
      0, 2, 2,
    ]);
    expect(moveCursor(0, key("down"), 0)).toBe(0);
  });

  it("shows the part around its cursor", () => {
    expect([visibleRange(0, 100, 10), visibleRange(50, 100, 10), visibleRange(99, 100, 10)]).toEqual([
      { from: 0, to: 10 },
      { from: 45, to: 55 },
      { from: 90, to: 100 },
    ]);
    expect(visibleRange(0, 0, 10)).toEqual({ from: 0, to: 0 });
  });
});

describe("the menu", () => {
  const items = [
    { key: "1", letter: "p", label: "process" },
    { key: "0", label: "exit" },
  ];

  it("is chosen from by digit, by letter and by cursor", () => {
    expect(reduceMenu({ cursor: 0 }, type("0"), items).outcome).toBe("0");
    expect(reduceMenu({ cursor: 1 }, type("p"), items).outcome).toBe("1");
    expect(reduceMenu({ cursor: 1 }, key("enter"), items).outcome).toBe("0");
    expect(reduceMenu({ cursor: 0 }, type("z"), items)).toEqual({ state: { cursor: 0 } });
  });
});

describe("the opening screen", () => {
  it("resumes all on Enter, and one by its key", () => {
    expect(reduceOpening({ cursor: 0 }, key("enter"), ["a", "b"]).outcome).toEqual({ type: "resume_all" });
    expect(reduceOpening({ cursor: 1 }, type("r"), ["a", "b"]).outcome).toEqual({ type: "resume", taskId: "b" });
    expect(reduceOpening({ cursor: 0 }, type("c"), ["a"]).outcome).toEqual({ type: "cancel", taskId: "a" });
    expect(reduceOpening({ cursor: 0 }, type("w"), []).outcome).toBeUndefined();
  });
});

describe("the list of tasks", () => {
  const tasks = [
    task("old", { status: "completed", createdAt: "2026-11-20T00:00:00Z" }),
    task("new", { status: "running", createdAt: "2026-11-21T00:00:00Z", message: "Processed" }),
    task("waits", { status: "paused", createdAt: "2026-11-19T00:00:00Z" }),
  ];

  it("shows what is not over first, then the newest", () => {
    expect(shownTasks(tasks, initialBoardView).map(({ info }) => info.id)).toEqual(["new", "waits", "old"]);
    expect(shownTasks(tasks, { finished: false, filter: "PROC" }).map(({ info }) => info.id)).toEqual(["new"]);
  });

  it("filters as one types, and Escape first clears the filter", () => {
    const typed = [type("/"), type("p"), type("x"), key("backspace"), type("a"), key("enter")].reduce(
      (state, press) => reduceBoardView(state, press, tasks).state,
      initialBoardView,
    );
    expect([typed.filter, typed.typing]).toEqual(["pa", false]);
    const cleared = reduceBoardView(typed, key("escape"), tasks);
    expect([cleared.state.filter, cleared.outcome]).toEqual(["", undefined]);
    expect(reduceBoardView(cleared.state, key("escape"), tasks).outcome).toEqual({ type: "back" });
  });

  it("says what is wanted with the task under the cursor", () => {
    expect(reduceBoardView({ ...initialBoardView, cursor: 1 }, type("r"), tasks).outcome).toEqual({
      type: "resume",
      taskId: "waits",
    });
    expect(reduceBoardView(initialBoardView, type("p"), []).outcome).toBeUndefined();
  });
});

describe("a task in detail", () => {
  it("scrolls its log within bounds", () => {
    const logged = { ...task("a"), log: [1, 2, 3].map((line) => ({ level: "info", text: String(line) })) };
    expect(reduceDetail({ up: 0 }, key("pageUp"), logged).state).toEqual({ up: 2 });
    expect(reduceDetail({ up: 0 }, key("down"), logged).state).toEqual({ up: 0 });
  });

  it("opens a question on Enter, where there is one", () => {
    const question = { key: "k", message: "?", schema: {}, userOnly: false };
    expect(reduceDetail({ up: 0 }, key("enter"), task("a", { questions: [question] })).outcome).toBe("answer");
    expect(reduceDetail({ up: 0 }, key("enter"), task("a")).outcome).toBeUndefined();
  });
});

describe("the list of tools", () => {
  const tools: readonly ToolInfo[] = ["count", "confirm"].map((name) => ({
    name,
    server: "s",
    inputSchema: {},
    control: false,
  }));

  it("searches as one types", () => {
    const typed = reduceToolList({ cursor: 1, search: "" }, type("conf"), tools);
    expect(reduceToolList(typed.state, key("enter"), tools).outcome).toEqual({ type: "choose", tool: tools[1] });
    expect(reduceToolList(typed.state, key("escape"), tools).state.search).toBe("");
  });
});

describe("a form", () => {
  const fields = formFields(
    {
      type: "object",
      required: ["n", "sure"],
      properties: {
        n: { type: "integer", minimum: 1, default: 5 },
        name: { type: "string", title: "Name" },
        sure: { type: "boolean" },
        kind: { type: "string", enum: ["a", "b"], default: "a" },
        list: { type: "array" },
        client_id: { type: "string" },
      },
    },
    { name: "before" },
  );
  const fill = (...keys: KeyPress[]) =>
    keys.reduce((state, press) => reduceForm(state, press, fields).state, initialFormState(fields));

  it("has a field for every property but the client's own, with defaults and what was given before", () => {
    expect(fields.map(({ key: name, kind, initial }) => [name, kind, initial])).toEqual([
      ["n", "integer", "5"],
      ["name", "text", "before"],
      ["sure", "boolean", ""],
      ["kind", "choice", "a"],
      ["list", "json", ""],
    ]);
  });

  it("goes to the first field that is wrong, and is sent when all are right", () => {
    const wrong = reduceForm(fill(), key("enter"), fields);
    expect([wrong.outcome, wrong.state.focus, wrong.state.errors]).toEqual([undefined, 2, { sure: "is needed" }]);
    const right = reduceForm(wrong.state, type("t"), fields);
    expect(right.state.errors).toEqual({});
    expect(reduceForm(right.state, key("enter"), fields).outcome).toEqual({
      type: "submit",
      values: { n: 5, name: "before", sure: true, kind: "a" },
    });
  });

  it("goes round the options of a choice, with an empty one where that is allowed", () => {
    const down = [key("down"), key("down"), key("down")];
    expect(fill(...down, key("right")).texts.kind).toBe("b");
    expect(fill(...down, key("right"), key("right")).texts.kind).toBe("");
  });

  it.each([
    ["n", "many", "has to be a number"],
    ["n", "1.5", "has to be a whole number"],
    ["n", "0", "has to be at least 1"],
    ["n", "", "is needed"],
    ["kind", "c", "has to be one of a, b"],
    ["list", "[", "has to be JSON"],
  ])("says what is wrong with %s = %j", (name, text, error) => {
    expect(check(fields, { n: "5", sure: "true", [name]: text }).errors).toEqual({ [name]: error });
  });
});

describe("the way through the screens", () => {
  it("leads back to the first one and no further", () => {
    const start: Navigation = [{ name: "menu" }];
    const deep = navigate(navigate(start, { type: "open", screen: { name: "board" } }), {
      type: "open",
      screen: { name: "detail", taskId: "a" },
    });
    expect(currentScreen(navigate(deep, { type: "back" })).name).toBe("board");
    expect(navigate(start, { type: "back" })).toEqual(start);
    expect(navigate(deep, { type: "replace", screen: { name: "stats" } }).map(({ name }) => name)).toEqual([
      "menu",
      "board",
      "stats",
    ]);
  });
});
