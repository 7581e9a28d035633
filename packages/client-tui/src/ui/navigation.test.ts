import { describe, expect, it } from "vitest";
import { currentScreen, type Navigation, navigate } from "./navigation.js";

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

  it("replaces the first screen too", () => {
    expect(navigate([{ name: "opening" }], { type: "replace", screen: { name: "menu" } })).toEqual([{ name: "menu" }]);
  });
});
