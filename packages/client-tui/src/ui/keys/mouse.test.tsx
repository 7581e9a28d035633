import { describe, expect, it } from "vitest";
import { fakeTask } from "../../../test/fake-client.js";
import { keys, openScreens } from "../../../test/open-screens.js";
import { toKeyPresses } from "./key-press.js";
import { clickedKey, rowsOfList } from "./use-clicks.js";

const click = (row: number, column = 1) => `\u001b[<0;${column};${row}M`;
const wheel = { up: "\u001b[<64;1;1M", down: "\u001b[<65;1;1M" };

describe("the mouse", () => {
  it.each([
    ["[<64;10;5M", [{ text: "", name: "up" }]],
    ["[<65;10;5M", [{ text: "", name: "down" }]],
    ["[<0;10;5M", [{ text: "", click: { row: 4, column: 9 } }]],
    ["[<0;10;5m", []],
    ["[<2;10;5M", []],
    ["[<35;10;5M", []],
  ])("%s is reported as %j", (input, presses) => {
    expect(toKeyPresses(input, { ctrl: false, meta: false })).toEqual(presses);
  });

  it("means by a click the entry on that row: Enter on the one at the cursor, else the way there", () => {
    const list = { cursor: 3, indexAt: rowsOfList(2, { from: 3, to: 6 }) };
    const meant = [2, 3, 4, 5, 6].map((row) => clickedKey({ text: "", click: { row, column: 0 } }, list));
    expect(meant).toEqual([
      { text: "" },
      { text: "", name: "enter" },
      { text: "", index: 4 },
      { text: "", index: 5 },
      { text: "" },
    ]);
  });

  it("moves through tasks by the wheel, and opens one by a click on it and another", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b", { tool: "backup" }), fakeTask("c", { tool: "train" })]);
    await screen.go(["3 of your tasks", "2"], ["Tasks 1-3 of 3", wheel.down], ["▸ > backup", wheel.up]);
    await screen.go(["▸ > count_words", click(6)], ["▸ > train", click(6)]);
    await screen.until("c at http");
    await screen.go(["[timeline]", keys.escape]);
    await screen.until("Tasks 1-3 of 3");
  });

  it("chooses on the opening screen, in the menu, the tools, the servers and the palette", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b", { tool: "backup" })]);
    // The title, an empty line and the server are above the tasks.
    await screen.go(["2 of your tasks", click(4)], ["▸ > count_words", click(6)], ["▸ > backup", ":"]);
    await screen.go([":_", click(3)], ["b at http", "5"], ["answers in", click(3)], ["answers in", "1"]);
    await screen.go(["▸ count_words", click(3)], ["[Run and watch]", keys.escape], ["2 of your tasks", "m"]);
    await screen.go(["process data", click(5)], ["▸ 3 statistics", click(5)]);
    await screen.until("completed       2");
  });

  it("goes to the field of a form by a click on it, and presses a button by one on that", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.go(["1 of your tasks", "1"], ["▸ count_words", click(3)]);
    // Title, heading, two fields, buttons.
    await screen.go(["[Run and watch]", click(4)], ["▸ deep", click(5, 5)], ["! is required", "x"]);
    await screen.go(["▸ path* x_", click(2)], ["▸ path* x_", click(4)], ["▸ deep", click(5, 22)]);
    await screen.until("count_words runs in the background");
  });
});
