import { describe, expect, it } from "vitest";
import { least } from "../../../test/draw.js";
import { fakeTool } from "../../../test/fake-client.js";
import { keys, openScreens } from "../../../test/open-screens.js";

const tools = async () => [fakeTool("count_words"), fakeTool("pause_task", { control: true })];

describe("the screen of the tools", () => {
  it("has those that do something, and not those that steer tasks", async () => {
    const screen = openScreens([], { tools });
    await screen.go(["process data", "t"]);
    const { lines } = await screen.until("count_words");
    expect(lines.slice(1, 4).map((line) => line.slice(0, 13))).toEqual(["Which tool? _", "▸ count_words", ""]);
  });

  it("says why there are none for as long as one looks at it", async () => {
    const down = async () => {
      throw new Error("No server answers. Start it first.");
    };
    const screen = openScreens([], { tools: down, size: least });
    await screen.go(["process data", "t"], ["No server answers", "x"]);
    expect(await screen.until("Which tool? x_")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Which tool? x_
      │No server answers. Start it first.
      ⋮ 5 empty lines
      │Enter choose · ↑↓ move · Esc back
    `);
  });

  it("comes back by Escape", async () => {
    const screen = openScreens([], { tools });
    await screen.go(["process data", "t"], ["count_words", keys.escape]);
    await screen.until("process data");
  });
});
