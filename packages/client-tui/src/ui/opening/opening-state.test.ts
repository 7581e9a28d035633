import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { reduceOpening } from "./opening-state.js";

describe("the opening screen", () => {
  it("resumes all on Enter, and one by its key", () => {
    expect(reduceOpening({ cursor: 0 }, named("enter"), ["a", "b"], true).outcome).toEqual({ type: "resume_all" });
    expect(reduceOpening({ cursor: 1 }, typed("r"), ["a", "b"], true).outcome).toEqual({ type: "resume", taskId: "b" });
  });

  it.each([
    ["w", { type: "watch", taskId: "a" }],
    ["c", { type: "cancel", taskId: "a" }],
    ["f", { type: "forget", taskId: "a" }],
    ["m", { type: "menu" }],
    ["?", { type: "keys" }],
    ["x", undefined],
    ["toString", undefined],
  ])("means by %s at a task %j", (text, outcome) => {
    expect(reduceOpening({ cursor: 0 }, typed(text), ["a"], true).outcome).toEqual(outcome);
  });

  it("goes to the menu on Escape", () => {
    expect(reduceOpening({ cursor: 0 }, named("escape"), ["a"], true).outcome).toEqual({ type: "menu" });
  });

  it("has nothing to resume while nothing is known", () => {
    for (const press of [named("enter"), typed("w"), typed("r")])
      expect(reduceOpening({ cursor: 0 }, press, [], true)).toEqual({ state: { cursor: 0 } });
  });

  it("resumes on Enter what servers have yet to list", () => {
    expect(reduceOpening({ cursor: 0 }, named("enter"), [], false).outcome).toEqual({ type: "resume_all" });
  });

  it("keeps its cursor at the task when others come before it", () => {
    const { state } = reduceOpening({ cursor: 0 }, named("down"), ["a", "b"], true);
    expect(state).toEqual({ cursor: 1, at: "b" });
    expect(reduceOpening(state, typed("w"), ["new", "a", "b"], true).outcome).toEqual({ type: "watch", taskId: "b" });
  });

  it("does nothing with what is pasted", () => {
    expect(reduceOpening({ cursor: 0 }, pasted("c"), ["a"], true)).toEqual({ state: { cursor: 0, at: "a" } });
  });
});
