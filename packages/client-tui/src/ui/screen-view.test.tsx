import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../test/draw.js";
import { fakeTask } from "../../test/fake-client.js";
import { keys, openScreens } from "../../test/open-screens.js";

const question = { key: "q", message: "Are you sure?", schema: {}, userOnly: false };
const asking = fakeTask("a", { status: "input_required", questions: [question] });

/** How each screen is reached, and a text by which one knows that one is there. */
const ways: Readonly<Record<string, readonly [way: readonly (readonly [string, string])[], text: string]>> = {
  opening: [[], "1 of your tasks"],
  menu: [[["1 of your tasks", "m"]], "process data"],
  board: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "2"],
    ],
    "Tasks 1-1 of 1",
  ],
  detail: [[["1 of your tasks", keys.enter]], "[timeline]"],
  answer: [[["1 of your tasks", keys.question]], "[Answer]"],
  confirm: [[["1 of your tasks", "c"]], "(y/n)"],
  page: [[["1 of your tasks", "?"]], "The keys of this screen"],
  tools: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "t"],
    ],
    "▸ count_words",
  ],
  call: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "t"],
      ["▸ count_words", keys.enter],
    ],
    "[Run and watch]",
  ],
  stats: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "3"],
    ],
    "total",
  ],
  session: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "4"],
    ],
    "state file",
  ],
  servers: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "5"],
    ],
    "answers in",
  ],
  add_server: [
    [
      ["1 of your tasks", "m"],
      ["list tasks", "5"],
      ["answers in", "a"],
    ],
    "[Add]",
  ],
};

describe("every screen", () => {
  it.each(
    Object.entries(ways).flatMap(([name, way]) => [usual, least, large].map((size) => [name, size, way] as const)),
  )("%s stands whole between header, question and keys at %j", async (name, size, [way, text]) => {
    const screen = openScreens([asking], { size });
    await screen.go(...way);
    const { lines } = await screen.until(text);
    // Its own form tells the question that is being answered.
    const banner = name === "answer" ? "" : "? Ctrl-Y answers: count_words asks: Are";
    const keyLine = lines.at(-1) ?? "";
    expect([lines.length, lines[0], lines.at(-3)?.startsWith(banner), keyLine.endsWith("…"), keyLine !== ""]).toEqual([
      size.rows - 1,
      " resumable-mcp · 127.0.0.1:8001 live",
      true,
      false,
      true,
    ]);
  });
});
