import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { reduceMenu } from "./menu.js";

describe("the menu", () => {
  const items = [
    { key: "1", letter: "p", label: "process" },
    { key: "0", label: "exit" },
  ];

  it("is chosen from by digit, by letter and by cursor", () => {
    expect(reduceMenu({ cursor: 0 }, typed("0"), items)).toEqual({
      state: { cursor: 1 },
      outcome: { type: "chosen", key: "0" },
    });
    expect(reduceMenu({ cursor: 1 }, typed("p"), items)).toEqual({
      state: { cursor: 0 },
      outcome: { type: "chosen", key: "1" },
    });
    expect(reduceMenu({ cursor: 1 }, named("enter"), items)).toEqual({
      state: { cursor: 1 },
      outcome: { type: "chosen", key: "0" },
    });
  });

  it("says which text is the key of no entry (feature 43)", () => {
    for (const text of ["z", "j"])
      expect(reduceMenu({ cursor: 0 }, typed(text), items)).toEqual({
        state: { cursor: 0 },
        outcome: { type: "unknown", text },
      });
  });

  it("does nothing on keys without a text and on what is pasted", () => {
    for (const press of [pasted("0"), named("left"), named("escape")])
      expect(reduceMenu({ cursor: 0 }, press, items)).toEqual({ state: { cursor: 0 } });
  });

  it("chooses nothing where it has nothing", () => {
    expect(reduceMenu({ cursor: 0 }, named("enter"), [])).toEqual({ state: { cursor: 0 } });
  });
});
