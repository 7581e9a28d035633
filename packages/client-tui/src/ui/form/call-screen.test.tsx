import { describe, expect, it } from "vitest";
import { least } from "../../../test/draw.js";
import { fakeTask, fakeTool } from "../../../test/fake-client.js";
import { keys, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";

async function openCall(options?: OpenScreensOptions) {
  const screen = openScreens([], options);
  await screen.go(["process data", "t"], ["Counts the words", keys.enter]);
  await screen.until("[Run and watch]");
  return screen;
}

describe("a call", () => {
  it("shows tool, server, arguments and ways to run it on a low and narrow screen", async () => {
    expect((await openCall({ size: least })).frame()).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │count_words at 127.0.0.1:8001: Counts
      │the words of a file.
      │▸ path* _
      │  deep  ‹ false ›
      │  [Run and watch]  Run in background
      │
      │
      │Enter send · ↑↓ field · Esc back
    `);
  });

  it("is made by one key of the menu, with the arguments of the last time (feature 53)", async () => {
    const screen = openScreens([], { lastArguments: () => ({ path: "book.txt", deep: true }) });
    await screen.go(["process data", "1"]);
    await screen.until("count_words ███");
    expect(screen.said[0]).toBe('call count_words {"path":"book.txt","deep":true}');
  });

  it("by one key of the menu calls the tool of the newest task, with the defaults of its form (feature 53)", async () => {
    const optional = { type: "object", properties: { deep: { type: "boolean", default: true } } };
    const tools = async () => [fakeTool("first"), fakeTool("count_words", { inputSchema: optional })];
    const tasks = [fakeTask("a", { createdAt: "2026-11-20T09:00:00.000Z", tool: "first" }), fakeTask("b")];
    const screen = openScreens(
      tasks.map((task) => ({ ...task, status: "completed" })),
      { tools },
    );
    await screen.go(["process data", "1"]);
    await expect.poll(() => screen.said[0]).toBe('call count_words {"deep":true}');
  });

  it("by one key of the menu opens the form where an argument is missing, and the list where no tool was called", async () => {
    const one = openScreens([]);
    await one.go(["process data", "1"]);
    await one.until("[Run and watch]");
    const several = openScreens([], { tools: async () => [fakeTool("first"), fakeTool("second")] });
    await several.go(["process data", "1"]);
    await several.until("Which tool?");
    expect([...one.said, ...several.said]).toEqual([]);
  });

  it("begins with what it was last called with", async () => {
    const screen = await openCall({ lastArguments: () => ({ path: "book.txt", deep: true }) });
    expect(screen.frame().lines.slice(2, 4)).toEqual(["▸ path* book.txt_", "  deep  ‹ true ›"]);
  });

  it("leads through tool and form to the new task", async () => {
    const screen = await openCall();
    await screen.go(["path", keys.enter], ["! is required", "book.txt"], ["book.txt_", keys.enter]);
    await screen.until("count_words ███");
    expect(screen.said.slice(0, 2)).toEqual(['call count_words {"path":"book.txt","deep":false}', "info new"]);
  });

  it("can run in the background, with nested arguments", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        source: { type: "object", required: ["url"], properties: { url: { type: "string" } } },
        tags: { type: "array", items: { type: "string" } },
      },
    };
    const screen = await openCall({ inputSchema });
    expect(screen.frame().lines.slice(2, 6)).toEqual([
      "  source",
      "▸   url * _",
      "  tags    ‹ 0 entries ›",
      "  [Run and watch]  Run in background",
    ]);
    for (const key of ["example.com", keys.tab, "+", keys.tab, "new", keys.tab, keys.right]) screen.press(key);
    await screen.go(["▸  Run and watch  [Run in background]", keys.enter]);
    await screen.until("runs in the background");
    expect(screen.said[0]).toBe('call count_words {"source":{"url":"example.com"},"tags":["new"]} detached');
  });
});
