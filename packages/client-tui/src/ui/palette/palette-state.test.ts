import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { matchingCommands, reducePalette } from "./palette-state.js";

const commands = ["open count_words", "pause count_words", "list tasks"].map((label) => ({ label, run: () => {} }));
const labels = (search: string) => matchingCommands(commands, search).map(({ label }) => label);

describe("the palette", () => {
  it("finds a command by every word that is typed, in any order", () => {
    expect([labels("words pau"), labels("COUNT"), labels("x")]).toEqual([
      ["pause count_words"],
      ["open count_words", "pause count_words"],
      [],
    ]);
  });

  it("types, moves, runs and leaves by keys", () => {
    const found = reducePalette({ cursor: 2, search: "" }, typed("c"), commands).state;
    expect(found).toEqual({ cursor: 0, search: "c" });
    expect(reducePalette(found, pasted("ount"), commands).state.search).toBe("count");
    const second = reducePalette(found, named("down"), commands).state;
    expect(reducePalette(second, named("enter"), commands).outcome).toBe(commands[1]);
    expect(reducePalette({ cursor: 0, search: "x" }, named("enter"), commands).outcome).toBeUndefined();
    expect(reducePalette(second, named("escape"), commands).outcome).toBe("back");
  });
});
