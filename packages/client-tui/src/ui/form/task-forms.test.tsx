import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { keys, openScreens } from "../../../test/open-screens.js";

const question = {
  key: "q",
  message: "Are you sure?",
  schema: { type: "object", properties: { sure: { type: "boolean", default: true } } },
  userOnly: false,
};
const asking = fakeTask("a", { status: "input_required", questions: [question] });

describe("the form for a question", () => {
  it.each([[usual], [large]])("has the question, its fields and what MCP lets one do with it at %j", async (size) => {
    const screen = openScreens([asking], { size });
    await screen.go(["Ctrl-Y answers", keys.question]);
    const { lines } = await screen.until("[Answer]");
    expect([lines.length, ...lines.slice(0, 5), lines.at(-1)]).toEqual([
      size.rows - 1,
      " resumable-mcp · 127.0.0.1:8001 live",
      "count_words asks: Are you sure?",
      "▸ sure  ‹ true ›",
      "  [Answer]  Decline   Cancel",
      "←→ chooses",
      "Enter send · ↑↓ field · ←→ choose, add, remove · Esc back",
    ]);
  });

  it("shows as much of a long question as there is room for next to a field", async () => {
    const message = "May all data of last year be deleted, with every copy that is kept elsewhere?";
    const screen = openScreens([{ ...asking, questions: [{ ...question, message }] }], { size: least });
    await screen.go(["Ctrl-Y answers", keys.question]);
    expect(await screen.until("[Answer]")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │count_words asks: May all data of last
      │year be deleted, with every copy that is
      │kept elsewhere?
      │▸ sure  ‹ true ›
      │  [Answer]  Decline   Cancel
      │←→ chooses
      │
      │Enter send · ↑↓ field · Esc back
    `);
  });
});

describe("a question", () => {
  it("is shown and answered wherever the user is, and what they were filling in is still there", async () => {
    const screen = openScreens([asking]);
    await screen.go(
      ["? Ctrl-Y answers: count_words asks: Are you sure?", "m"],
      ["process data", "t"],
      ["Counts the words", keys.enter],
      ["[Run and watch]", "half a pa"],
      ["half a pa_", keys.question],
      ["‹ true ›", keys.enter],
    );
    await screen.until("half a pa_");
    expect(screen.said.at(-1)).toBe('answer a q {"action":"accept","content":{"sure":true}}');
  });

  it.each([
    ["decline", 1],
    ["cancel", 2],
  ])("can be answered with %s", async (action, steps) => {
    const screen = openScreens([asking]);
    await screen.go(["Ctrl-Y", keys.question], ["[Answer]", keys.tab]);
    for (let step = 0; step < steps; step += 1) screen.press(keys.right);
    screen.press(keys.enter);
    await screen.until("1 of your tasks");
    expect(screen.said).toEqual([`answer a q {"action":"${action}"}`]);
  });

  it("stays when its form is left with Escape", async () => {
    const screen = openScreens([asking]);
    await screen.go(["Ctrl-Y", keys.question], ["[Answer]", keys.escape]);
    await screen.until("? Ctrl-Y answers");
    expect(screen.said).toEqual([]);
  });
});
