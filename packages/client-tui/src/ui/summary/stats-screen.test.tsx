import { describe, expect, it } from "vitest";
import { least, usual } from "../../../test/draw.js";
import { type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";

async function openStats(options: OpenScreensOptions, text: string) {
  const screen = openScreens([], options);
  await screen.go(["process data", "3"]);
  return screen.until(text);
}

describe("the statistics screen", () => {
  it("counts the tasks of each server", async () => {
    expect(await openStats({ size: usual }, "total")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Statistics
      │http://127.0.0.1:8001/mcp
      │  running         1
      │  completed       2
      │  total           3
      ⋮ 16 empty lines
      │↑↓ scroll · Esc back
    `);
  });

  it("says that it waits for the servers", async () => {
    const { lines } = await openStats({ stats: () => new Promise(() => {}) }, "Asking the servers…");
    expect(lines.slice(1, 4)).toEqual(["Statistics", "Asking the servers…", ""]);
  });

  it("says in place of the numbers why there are none, and what to do", async () => {
    const stats = async () => {
      throw new Error("No server answers at http://127.0.0.1:8001/mcp (connection refused). Start it first.");
    };
    expect(await openStats({ stats, size: least }, "No server")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Statistics
      │No server answers at
      │http://127.0.0.1:8001/mcp (connection
      │refused). Start it first.
      ⋮ 3 empty lines
      │↑↓ scroll · Esc back
    `);
    await openStats({ stats: async () => [] }, "There are no servers: 5 in the menu adds one.");
  });
});

describe("the other screens", () => {
  it("show statistics and session, and come back", async () => {
    const screen = openScreens([]);
    await screen.go(["process data", "3"]);
    expect((await screen.until("completed       2")).lines).toContain("  total           3");
    await screen.go(["total", "q"], ["process data", "4"]);
    await screen.until("state file /state.json");
  });
});
