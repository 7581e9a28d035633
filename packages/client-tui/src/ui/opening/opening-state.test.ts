import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { reduceOpening } from "./opening-state.js";

describe("the opening screen", () => {
  it("opens a task on Enter, resumes one by its key and all by another", () => {
    expect(reduceOpening({ cursor: 1 }, named("enter"), ["a", "b"]).outcome).toEqual({ type: "open", taskId: "b" });
    expect(reduceOpening({ cursor: 1 }, typed("R"), ["a", "b"]).outcome).toEqual({ type: "resume_all" });
    expect(reduceOpening({ cursor: 1 }, typed("r"), ["a", "b"]).outcome).toEqual({ type: "resume", taskId: "b" });
  });

  it.each([
    ["p", { type: "pause", taskId: "a" }],
    ["g", { type: "refresh" }],
    ["w", undefined],
    ["c", { type: "cancel", taskId: "a" }],
    ["d", { type: "delete", taskId: "a" }],
    ["m", { type: "menu" }],
    ["?", { type: "keys" }],
    ["x", undefined],
    ["toString", undefined],
  ])("means by %s at a task %j", (text, outcome) => {
    expect(reduceOpening({ cursor: 0 }, typed(text), ["a"]).outcome).toEqual(outcome);
  });

  it("goes to the menu on Escape", () => {
    expect(reduceOpening({ cursor: 0 }, named("escape"), ["a"]).outcome).toEqual({ type: "menu" });
  });

  it("has nothing to open or resume while nothing is known", () => {
    for (const press of [named("enter"), typed("r")])
      expect(reduceOpening({ cursor: 0 }, press, [])).toEqual({ state: { cursor: 0 } });
  });

  it("keeps its cursor at the task when others come before it", () => {
    const { state } = reduceOpening({ cursor: 0 }, named("down"), ["a", "b"]);
    expect(state).toEqual({ cursor: 1, at: "b" });
    expect(reduceOpening(state, typed("r"), ["new", "a", "b"]).outcome).toEqual({ type: "resume", taskId: "b" });
  });

  it("does nothing with what is pasted", () => {
    expect(reduceOpening({ cursor: 0 }, pasted("c"), ["a"])).toEqual({ state: { cursor: 0, at: "a" } });
  });
});
