import type { TaskInfo, ToolInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import type { LiveTask } from "../model/live-task.js";
import { newLiveTask } from "../model/live-task.js";
import { type BoardViewState, initialBoardView, reduceBoardView, shownTasks } from "./board/board-view-state.js";
import { type DetailState, type DetailView, initialDetailState, reduceDetail } from "./detail/detail-state.js";
import { treeLines } from "./detail/result-tree.js";
import { formLines } from "./form/form-draft.js";
import { type FormShape, type FormState, initialFormState, reduceForm } from "./form/form-state.js";
import { readForm } from "./form/form-values.js";
import type { KeyPress } from "./key-press.js";
import { moveCursor, visibleRange } from "./list-cursor.js";
import { reduceMenu } from "./menu/menu-state.js";
import { currentScreen, type Navigation, navigate } from "./navigation.js";
import { reduceOpening } from "./opening/opening-state.js";
import { takePaste } from "./paste.js";
import { reduceToolList } from "./tools/tool-list-state.js";

const type = (text: string): KeyPress => ({ text });
const key = (name: NonNullable<KeyPress["name"]>): KeyPress => ({ text: "", name });

/** A task of which no more is known than that it is there. */
const task = (id: string, more: Partial<TaskInfo> = {}): LiveTask => {
  const { message: _message, percent: _percent, createdAt: _createdAt, ...plain } = fakeTask(id);
  return newLiveTask({ ...plain, tool: "count", ...more });
};

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
    expect(reduceOpening({ cursor: 0 }, type("f"), ["a"]).outcome).toEqual({ type: "forget", taskId: "a" });
  });

  it("has nothing to resume while nothing is known", () => {
    expect(reduceOpening({ cursor: 0 }, key("enter"), []).outcome).toBeUndefined();
    expect(reduceOpening({ cursor: 0 }, type("w"), []).outcome).toBeUndefined();
    expect(reduceOpening({ cursor: 0 }, type("m"), []).outcome).toEqual({ type: "menu" });
  });
});

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

  it("is ordered by what the user chose, the unfinished still first", () => {
    expect([ids({ sort: "name" }), ids({ sort: "progress" })]).toEqual([
      ["waits", "new", "old"],
      ["waits", "new", "old"],
    ]);
    expect(pressed(type("s"), type("s")).sort).toBe("progress");
  });

  it("filters as one types, and Escape first clears the filter", () => {
    const typed = pressed(type("/"), type("p"), type("x"), key("backspace"), { text: "", paste: "a" }, key("enter"));
    expect([typed.filter, typed.typing]).toEqual(["pa", false]);
    const cleared = reduceBoardView(typed, key("escape"), tasks);
    expect([cleared.state.filter, cleared.outcome]).toEqual(["", undefined]);
    expect(reduceBoardView(cleared.state, key("escape"), tasks).outcome).toEqual({ type: "back" });
  });

  it("says what is wanted with the task under the cursor", () => {
    expect(reduceBoardView({ ...initialBoardView, cursor: 1 }, type("r"), tasks).outcome).toEqual({
      type: "resume",
      taskIds: ["waits"],
    });
    expect(reduceBoardView(initialBoardView, type("p"), []).outcome).toBeUndefined();
  });

  it("means the marked tasks instead, of those that are seen, and forgets the marks", () => {
    const step = reduceBoardView(pressed(type("*")), type("c"), tasks);
    expect([step.outcome, step.state.marked.size]).toEqual([{ type: "cancel", taskIds: ["new", "waits", "old"] }, 0]);
    const hidden = pressed(type("*"), type("/"), type("zip"), key("enter"));
    expect(reduceBoardView(hidden, type("p"), tasks).outcome).toEqual({ type: "pause", taskIds: ["new"] });
  });

  it("keeps its cursor at the task when others overtake it", () => {
    const at = pressed(key("down"));
    const later = [...tasks, task("newest", { createdAt: "2026-11-22T00:00:00Z" })];
    expect(reduceBoardView(at, type("c"), later).outcome).toEqual({ type: "cancel", taskIds: ["waits"] });
  });

  it("does nothing with what is pasted", () => {
    expect(reduceBoardView(initialBoardView, { text: "", paste: "c y p f" }, tasks)).toEqual({
      state: { ...initialBoardView, at: "new" },
    });
  });
});

describe("a task in detail", () => {
  const view: DetailView = { pane: "log", count: 3, tree: [], asks: false };

  it("scrolls within bounds, and End follows again", () => {
    const up = reduceDetail(initialDetailState, key("pageUp"), view).state;
    expect([up.up, reduceDetail(up, key("end"), view).state.up]).toEqual([2, 0]);
    expect(reduceDetail(initialDetailState, key("down"), view).state.up).toBe(0);
  });

  it("opens a question on Enter, where there is one", () => {
    expect(reduceDetail(initialDetailState, key("enter"), { ...view, asks: true }).outcome).toBe("answer");
    expect(reduceDetail(initialDetailState, key("enter"), view).outcome).toBeUndefined();
  });

  it("goes round its parts", () => {
    expect(reduceDetail(initialDetailState, key("backtab"), { ...view, pane: "timeline" }).state.pane).toBe("result");
    expect(reduceDetail(initialDetailState, type("3"), view).state.pane).toBe("steps");
  });

  it("folds and unfolds its result", () => {
    const value = { a: { b: { c: 1 } } };
    const lines = (state: DetailState) => treeLines(value, state.toggled).map(({ text }) => text);
    expect(lines(initialDetailState)).toEqual(["result: {1 field}", "a: {1 field}", "b: {1 field}"]);
    const tree = (state: DetailState): DetailView => ({
      ...view,
      pane: "result",
      tree: treeLines(value, state.toggled),
    });
    const open = [key("down"), key("down"), key("right")].reduce(
      (state, press) => reduceDetail(state, press, tree(state)).state,
      initialDetailState,
    );
    expect(lines(open)).toEqual(["result: {1 field}", "a: {1 field}", "b: {1 field}", "c: 1"]);
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
  const schema = {
    type: "object",
    required: ["n", "sure"],
    properties: {
      n: { type: "integer", minimum: 1, default: 5 },
      name: { type: "string", title: "Name", pattern: "^[a-z]+$" },
      sure: { type: "boolean" },
      kind: { type: "string", enum: ["a", "b"], default: "a" },
      list: { type: "array" },
      client_id: { type: "string" },
    },
  };
  const shape: FormShape = {
    schema,
    buttons: [
      { id: "run", label: "Run", sends: true },
      { id: "no", label: "No", sends: false },
    ],
  };
  const first = initialFormState(shape, { name: "before" });
  const fill = (from: FormState, ...keys: KeyPress[]) =>
    keys.reduce((state, press) => reduceForm(state, press, shape).state, from);

  it("has a line for every property but the client's own, with defaults and what was given before", () => {
    expect(formLines(schema, first).map(({ path, kind }) => [path, kind, first.texts[path]])).toEqual([
      ["/n", "integer", "5"],
      ["/name", "text", "before"],
      ["/sure", "boolean", ""],
      ["/kind", "choice", "a"],
      ["/list", "json", ""],
    ]);
  });

  it("goes to the first field that is wrong, and is sent when all are right", () => {
    const wrong = reduceForm(first, key("enter"), shape);
    expect([wrong.outcome, wrong.state.focus, wrong.state.errors]).toEqual([undefined, 2, { "/sure": "is needed" }]);
    const right = reduceForm(wrong.state, type("t"), shape);
    expect(right.state.errors).toEqual({});
    expect(reduceForm(right.state, key("enter"), shape).outcome).toEqual({
      type: "press",
      button: "run",
      values: { n: 5, name: "before", sure: true, kind: "a" },
    });
  });

  it("says what is wrong with a field as one types, and not what one has not come to yet", () => {
    expect(fill(first, key("backspace"), type("x")).errors).toEqual({ "/n": "has to be a number" });
    expect(fill(first, key("backspace")).errors).toEqual({});
  });

  it("goes round the options of a choice, with an empty one where that is allowed", () => {
    const down = [key("down"), key("down"), key("down")];
    expect(fill(first, ...down, key("right")).texts["/kind"]).toBe("b");
    expect(fill(first, ...down, key("right"), key("right")).texts["/kind"]).toBe("");
  });

  it("takes a paste as text, whatever is in it", () => {
    expect(fill(first, key("down"), { text: "", paste: " and more" }).texts["/name"]).toBe("before and more");
  });

  it("can be left by a button that sends nothing, however wrong it is", () => {
    const chosen = fill(first, ...Array.from({ length: 5 }, () => key("down")), key("right"));
    expect(reduceForm(chosen, key("enter"), shape).outcome).toEqual({ type: "press", button: "no", values: {} });
  });

  it.each([
    ["/n", "many", "has to be a number"],
    ["/n", "1.5", "has to be a whole number"],
    ["/n", "0", "has to be at least 1"],
    ["/n", "", "is needed"],
    ["/name", "Not Lower", "has to match ^[a-z]+$"],
    ["/kind", "c", "has to be one of a, b"],
    ["/list", "[", "has to be JSON"],
  ])("says what is wrong with %s = %j", (path, text, error) => {
    const texts = { ...first.texts, "/sure": "true", [path]: text };
    expect(readForm(schema, { ...first, texts }).errors).toEqual({ [path]: error });
  });
});

describe("a form of nested arguments", () => {
  const schema = {
    type: "object",
    properties: {
      source: {
        type: "object",
        required: ["url"],
        properties: { url: { type: "string" }, depth: { type: "integer" } },
      },
      people: { type: "array", items: { $ref: "#/$defs/person" } },
      level: {
        oneOf: [
          { const: 1, title: "low" },
          { const: 2, title: "high" },
        ],
      },
    },
    $defs: { person: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
  };
  const shape: FormShape = { schema, buttons: [{ id: "run", label: "Run", sends: true }] };

  it("shows what holds something above what it holds", () => {
    const state = initialFormState(shape, { people: [{ name: "x" }], level: 2 });
    expect(
      formLines(schema, state).map(({ label, depth, kind, path }) => [label, depth, kind, state.texts[path]]),
    ).toEqual([
      ["source", 0, "group", undefined],
      ["url", 1, "text", ""],
      ["depth", 1, "integer", ""],
      ["people", 0, "list", undefined],
      ["1", 1, "group", undefined],
      ["name", 2, "text", "x"],
      ["level", 0, "choice", "high"],
    ]);
    expect(readForm(schema, state)).toEqual({ values: { people: [{ name: "x" }], level: 2 }, errors: {} });
  });

  it("leaves out an optional object in which nothing stands, and needs all of one that is begun", () => {
    const empty = initialFormState(shape);
    expect(readForm(schema, empty)).toEqual({ values: {}, errors: {} });
    const begun = { ...empty, texts: { ...empty.texts, "/source/depth": "3" } };
    expect(readForm(schema, begun).errors).toEqual({ "/source/url": "is needed" });
  });

  it("adds entries to a list and takes the last away", () => {
    const press = (state: FormState, ...keys: KeyPress[]) =>
      keys.reduce((now, next) => reduceForm(now, next, shape).state, state);
    const atList = press(initialFormState(shape), key("down"), key("down"));
    const two = press(atList, key("right"), type("+"));
    expect([two.counts["/people"], press(two, key("left")).counts["/people"]]).toEqual([2, 1]);
  });

  it("ends where a schema contains itself", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const endless = { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } };
    expect(formLines(endless, { counts: {} }).map(({ kind }) => kind)).toEqual([
      "group",
      "group",
      "group",
      "group",
      "json",
    ]);
  });

  it("lets a schema that no validator understands be the server's affair", () => {
    const strange = { type: "object", properties: { x: { type: "string", pattern: "(" } } };
    const state = initialFormState({ schema: strange, buttons: [] }, { x: "y" });
    expect(readForm(strange, state)).toEqual({ values: { x: "y" }, errors: {} });
  });
});

describe("pasted text", () => {
  const paste = (...inputs: string[]) =>
    inputs.reduce<{ state: string | undefined; presses: KeyPress[] }>(
      ({ state, presses }, input) => {
        const step = takePaste(state, input);
        return { state: step?.state, presses: step?.press === undefined ? presses : [...presses, step.press] };
      },
      { state: undefined, presses: [] },
    );

  it("comes as one piece that is no command, without line breaks and control characters", () => {
    expect(paste("[200~", "rm -rf\r", "\u001b[Ay\n", "[201~")).toEqual({
      state: undefined,
      presses: [{ text: "", paste: "rm -rf [Ay " }],
    });
  });

  it("is not what is typed", () => {
    expect(takePaste(undefined, "y")).toBeUndefined();
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
