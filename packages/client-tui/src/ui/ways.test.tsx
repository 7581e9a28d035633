import { describe, expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { alike, frames, type Way } from "../../test/frames-at-sizes.js";
import { fakeResult } from "../../test/odd-texts.js";
import { keys } from "../../test/open-screens.js";

describe("a way through the screens", () => {
  it("asks before R resumes what was interrupted, and leaves what was paused on purpose", async () => {
    const tasks = [
      fakeTask("a", { tool: "crawl", status: "pending", interrupted: true }),
      fakeTask("b", { tool: "backup", status: "paused" }),
    ];
    expect(await frames(tasks, [["2 of your tasks", "R"]], "(y/n)")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Resume 1 interrupted task? 1 paused task stays paused. (y/n)
      │! crawl interrupted 30% (15/50) Processed 15/50 records
      ⋮ 19 empty lines
      │y yes · n no

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Resume 1 interrupted task? 1 paused task stays paused. (y/n)
      │! crawl interrupted 30% (15/50) Processed 15/50 records
      ⋮ 35 empty lines
      │y yes · n no

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Resume 1 interrupted task? 1 paused task
      │stays paused. (y/n)
      │! crawl interrupted 30% (15/50) Process…
      ⋮ 4 empty lines
      │y yes · n no
    `);
  });

  it("offers for a finished task what works on it, and while a task pauses what works then", async () => {
    const result = fakeResult({ converted: 50 });
    const done = [fakeTask("done", { tool: "convert_files", status: "completed" })];
    const finished = await frames(
      done,
      [
        ["process data", "2"],
        ["Tasks 1-1 of 1", keys.enter],
      ],
      "[result]",
      { result },
    );
    const pausing = await frames(
      alike.slice(0, 1),
      [
        ["1 of your tasks", keys.enter],
        ["[timeline]", "p"],
      ],
      "pausing…",
    );
    expect([finished, pausing].map((all) => all.map(({ lines }) => lines.at(-1)))).toMatchInlineSnapshot(`
      [
        [
          "Tab part · y copy · ↑↓ scroll · Enter fold, unfold · End follow · ? all keys",
          "Tab part · y copy · ↑↓ scroll · Enter fold, unfold · End follow · f forget · : commands · 1-5 places · ? all keys",
          "Tab part · y copy · ? all keys",
        ],
        [
          "c cancel · Tab part · y copy · ↑↓ scroll · End follow · f forget · ? all keys",
          "c cancel · Tab part · y copy · ↑↓ scroll · End follow · f forget · : commands · 1-5 places · g refresh · Esc back",
          "c cancel · Tab part · ? all keys",
        ],
      ]
    `);
  });

  it("says what is wrong with a value as it is typed, in place of the default that it replaces", async () => {
    const inputSchema = {
      type: "object",
      required: ["stars", "path"],
      properties: { stars: { type: "integer", minimum: 1, maximum: 5, default: 2 }, path: { type: "string" } },
    };
    const way: Way = [
      ["process data", "t"],
      ["Counts the words", keys.enter],
      ["stars", "29"],
    ];
    expect(await frames([], way, "29_", { inputSchema })).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │count_words at 127.0.0.1:8001: Counts the words of a file.
      │▸ stars* 29_  ! has to be at most 5
      │  path *
      │  [Run and watch]  Run in background
      ⋮ 17 empty lines
      │Enter send · ↑↓ field · ←→ choose, add, remove · Esc back

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │count_words at 127.0.0.1:8001: Counts the words of a file.
      │▸ stars* 29_  ! has to be at most 5
      │  path *
      │  [Run and watch]  Run in background
      ⋮ 33 empty lines
      │Enter send · ↑↓ field · ←→ choose, add, remove · Esc back

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │count_words at 127.0.0.1:8001: Counts
      │the words of a file.
      │▸ stars* 29_  ! has to be at most 5
      │  path *
      │  [Run and watch]  Run in background
      │
      │
      │Enter send · ↑↓ field · Esc back
    `);
  });

  it("shows a shell command where the task stays in sight, or where it is whole", async () => {
    const way: Way = [
      ["3 of your tasks", keys.enter],
      ["[timeline]", "y"],
    ];
    expect(await frames(alike, way, "resumable-mcp watch")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │> convert_files berlin.csv ███░░░░░░░ 30% (15/50)  9s     Processed 15/50 rec…
      │running · attempt 1 · 15 items · updated 2s ago
      │label: berlin.csv
      │task-0 at http://127.0.0.1:8001/mcp
      │for 9s
      │message: Processed 15/50 records
      │[timeline] log  steps  result
      │Its server gives no timeline.
      ⋮ 11 empty lines
      │ℹ In the clipboard, if your terminal allows it: resumable-mcp watch task-0 --url
      │  http://127.0.0.1:8001/mcp --state /state.json
      │p pause · c cancel · Tab part · y copy · ↑↓ scroll · End follow · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │> convert_files berlin.csv █████░░░░░░░░░░ 30% (15/50)  9s                     Processed 15/50 records
      │running · attempt 1 · 15 items · updated 2s ago
      │label: berlin.csv
      │task-0 at http://127.0.0.1:8001/mcp
      │for 9s
      │message: Processed 15/50 records
      │[timeline] log  steps  result
      │Its server gives no timeline.
      ⋮ 27 empty lines
      │ℹ In the clipboard, if your terminal allows it: resumable-mcp watch task-0 --url http://127.0.0.1:8001/mcp --state
      │  /state.json
      │p pause · c cancel · Tab part · y copy · ↑↓ scroll · End follow · f forget · : commands · 1-5 places · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Shell command  1-5 of 6
      │resumable-mcp watch task-0 --url
      │http://127.0.0.1:8001/mcp --state
      │/state.json
      │
      │It is also in the clipboard, if your
      │
      │↑↓ scroll · Esc back
    `);
  });

  it("goes from the opening screen to each place by its number, and says where the tasks are", async () => {
    const opening = await frames(alike, [], "of your tasks");
    expect(opening.map(({ lines }) => lines.at(-1))).toMatchInlineSnapshot(`
      [
        "Enter open · p pause · c cancel · f forget · 2 tasks · : commands · ? all keys",
        "Enter open · p pause · c cancel · f forget · 2 tasks · : commands · g refresh · m menu · Ctrl-C leave",
        "Enter open · p pause · ? all keys",
      ]
    `);
    const places = [
      ["1", "Which tool?"],
      ["2", "Tasks 1-3 of 3"],
      ["3", "completed       2"],
      ["4", "Session"],
      ["5", "13 tools"],
    ] as const;
    const test = (server: string) => ({ server, ok: true, milliseconds: 5, tools: 13 });
    for (const [key, text] of places) {
      const shown = await frames(alike, [["of your tasks", key]], text, { test });
      expect(shown.map(({ columns, rows }) => `${columns}×${rows}`)).toEqual(["80×24", "120×40", "40×10"]);
    }
  });
});
