import { describe, expect, it } from "vitest";
import { createScreenMemories } from "./use-key-state.js";

describe("what stands on a screen", () => {
  it("is kept for that screen and no other, though they are alike", () => {
    const memories = createScreenMemories();
    const [first, second] = [{ name: "board" }, { name: "board" }];
    memories(first).state = "scrolled";
    expect([memories(first).state, memories(second).state]).toEqual(["scrolled", undefined]);
    expect(memories(first)).toBe(memories(first));
  });
});
