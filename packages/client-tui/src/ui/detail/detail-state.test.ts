import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { type DetailState, type DetailView, initialDetailState, reduceDetail } from "./detail-state.js";
import { treeLines } from "./result-tree.js";

describe("a task in detail", () => {
  const view: DetailView = { pane: "log", count: 3, tree: [], asks: false };

  it("scrolls within bounds, and End follows again", () => {
    const up = reduceDetail(initialDetailState, named("pageUp"), view).state;
    expect([up.up, reduceDetail(up, named("end"), view).state.up]).toEqual([2, 0]);
    expect(reduceDetail(initialDetailState, named("down"), view).state.up).toBe(0);
  });

  it("opens a question on Enter, where there is one", () => {
    expect(reduceDetail(initialDetailState, named("enter"), { ...view, asks: true }).outcome).toBe("answer");
    expect(reduceDetail(initialDetailState, named("enter"), view).outcome).toBeUndefined();
  });

  it("goes round its parts", () => {
    expect(reduceDetail(initialDetailState, named("backtab"), { ...view, pane: "timeline" }).state.pane).toBe("result");
    expect(reduceDetail(initialDetailState, named("tab"), { ...view, pane: "log" }).state.pane).toBe("steps");
  });

  it.each([
    ["p", "pause"],
    ["r", "resume"],
    ["c", "cancel"],
    ["d", "delete"],
    ["a", "answer"],
    ["y", "copy"],
    ["Y", "copy_arguments"],
    ["i", "copy_id"],
    ["n", "restart"],
    ["?", "keys"],
    ["q", "back"],
    ["x", undefined],
  ])("means by %s %s", (text, outcome) => {
    expect(reduceDetail(initialDetailState, typed(text), view).outcome).toBe(outcome);
  });

  it("is left by Escape", () => {
    expect(reduceDetail(initialDetailState, named("escape"), view)).toEqual({
      state: initialDetailState,
      outcome: "back",
    });
  });

  it("goes round the levels of its log, from the newest line", () => {
    const levels = [1, 2, 3, 4].map((times) => {
      const presses = Array.from({ length: times }, () => typed("l"));
      return presses.reduce((state, press) => reduceDetail(state, press, view).state, { ...initialDetailState, up: 2 });
    });
    expect(levels.map(({ level, up }) => [level, up])).toEqual([
      ["info", 0],
      ["warning", 0],
      ["error", 0],
      ["debug", 0],
    ]);
  });

  it("searches its log: typing narrows it, Enter keeps that, and Escape shows all before it leaves", () => {
    const presses = [typed("/"), typed("q"), typed("?"), named("enter")];
    let found: DetailState = initialDetailState;
    const steps = presses.map((press) => {
      found = reduceDetail(found, press, view).state;
      return found;
    });
    expect(steps.map(({ filter, typing }) => [filter, typing])).toEqual([
      ["", true],
      ["q", true],
      ["q?", true],
      ["q?", false],
    ]);
    expect(reduceDetail(found, named("escape"), view)).toEqual({ state: { ...found, filter: "" } });
    expect(reduceDetail(found, named("escape"), { ...view, pane: "timeline" }).outcome).toBe("back");
    expect(reduceDetail(initialDetailState, typed("/"), { ...view, pane: "steps" }).state.typing).toBe(false);
  });

  it("shows and hides by s the places at which a tool threw, from the newest line", () => {
    const shown = reduceDetail({ ...initialDetailState, up: 2 }, typed("s"), view).state;
    expect([shown.stack, shown.up, reduceDetail(shown, typed("s"), view).state.stack]).toEqual([true, 0, false]);
  });

  it("does nothing with what is pasted", () => {
    expect(reduceDetail(initialDetailState, pasted("c"), view)).toEqual({ state: initialDetailState });
  });

  it("goes through its result line by line, and to its ends by Home and End", () => {
    const tree = treeLines({ a: 1, b: 2, c: 3 }, new Set());
    const cursors = (["down", "end", "home", "pageDown"] as const).map(
      (name) =>
        reduceDetail({ ...initialDetailState, cursor: 1 }, named(name), { ...view, pane: "result", tree }).state,
    );
    expect(cursors.map(({ cursor }) => cursor)).toEqual([2, 3, 0, 3]);
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
    const open = [named("down"), named("down"), named("right")].reduce(
      (state, press) => reduceDetail(state, press, tree(state)).state,
      initialDetailState,
    );
    expect(lines(open)).toEqual(["result: {1 field}", "a: {1 field}", "b: {1 field}", "c: 1"]);
  });
});
