import type { TaskInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../test/draw.js";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { fakeResult } from "../../test/odd-texts.js";
import { keys, nowMs, type OpenScreensOptions, openScreens } from "../../test/open-screens.js";

type Screens = ReturnType<typeof openScreens>;
/** Keys, each pressed when a text is there, and what happens elsewhere meanwhile. */
type Way = readonly (readonly [text: string, key: string | ((screens: Screens) => void)])[];

/** What a user comes to by a way through the screens, at each of the three sizes. */
async function frames(tasks: readonly TaskInfo[], way: Way, end: string, options: OpenScreensOptions = {}) {
  const shown = [];
  for (const size of [usual, large, least]) {
    const screens = openScreens(tasks, { ...options, size });
    for (const [text, next] of way) {
      await screens.until(text);
      if (typeof next === "string") screens.press(next);
      else next(screens);
    }
    shown.push(await screens.until(end));
  }
  return shown;
}

/** Three calls of one tool, which differ in what they were called with. */
const alike = ["berlin.csv", "paris.csv", "rome.csv"].map((label, index) =>
  fakeTask(`task-${index}`, { tool: "convert_files", label, createdAt: `2026-11-21T09:00:0${3 - index}.000Z` }),
);
const toBoard: Way = [["of your tasks", "2"]];

/** What newcomers stumbled over in their first hour, at 80×24, 120×40 and 40×10. */
describe("the first hour on the screens", () => {
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

  it("tells tasks of one tool apart", async () => {
    expect(await frames(alike, toBoard, "Tasks 1-3 of 3")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task          label      progress                time
      │▸ > convert_files berlin.csv ███░░░░░░░ 30% (15/50)  9s     Processed 15/50 rec…
      │  > convert_files paris.csv  ███░░░░░░░ 30% (15/50)  10s    Processed 15/50 rec…
      │  > convert_files rome.csv   ███░░░░░░░ 30% (15/50)  11s    Processed 15/50 rec…
      │Processed 15/50 records
      ⋮ 15 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3                                                    │ > berlin.csv ██░░░ 30% (15/50) 9s     Processed …
      │    task       progress              time                         │ running · attempt 1 · 15 items · updated 2s ago
      │▸ > berlin.csv ██░░░░░░ 30% (15/50)  9s     Processed 15/50 recor…│ label: berlin.csv
      │  > paris.csv  ██░░░░░░ 30% (15/50)  10s    Processed 15/50 recor…│ task-0 at http://127.0.0.1:8001/mcp
      │  > rome.csv   ██░░░░░░ 30% (15/50)  11s    Processed 15/50 recor…│ for 9s
      │                                                                  │ message: Processed 15/50 records
      │                                                                  │ [timeline] log  steps  result
      │                                                                  │ Its server gives no timeline.
      │                                                                  │
      ⋮ 27 more such lines
      │
      │Enter open · p pause · c cancel · Space mark · / find · s sort · f forget · * mark all · u unfinished only · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task       progress          time
      │▸ > berlin.csv ██░░░ 30% (15/50) 9s
      │  > paris.csv  ██░░░ 30% (15/50) 10s
      │  > rome.csv   ██░░░ 30% (15/50) 11s
      │Processed 15/50 records
      │
      │Enter open · p pause · ? all keys
    `);
  });

  it("marks what is at a server that is away, says so in its row, and stops its clock", async () => {
    const state = {
      name: "waiting",
      known: true,
      attempt: 4,
      nextDelayMs: 7_000,
      reason: "connection refused",
    } as const;
    const servers = [{ address: fakeServer, state }];
    const lost = ({ board }: Screens) => board.store.dispatch({ type: "servers", servers, atMs: nowMs - 5_000 });
    expect(await frames(alike, [...toBoard, ["Tasks 1-", lost]], "retry")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 reconnecting in 7s (attempt 4)
      │Tasks 1-3 of 3
      │    task          label      progress                time
      │▸ ~ convert_files berlin.csv ███░░░░░░░ 30% (15/50)  4s     server away: Proces…
      │  ~ convert_files paris.csv  ███░░░░░░░ 30% (15/50)  5s     server away: Proces…
      │  ~ convert_files rome.csv   ███░░░░░░░ 30% (15/50)  6s     server away: Proces…
      │server away: Processed 15/50 records
      ⋮ 15 empty lines
      │Enter open · g retry now · Space mark · / find · s sort · f forget · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 reconnecting in 7s (attempt 4)
      │Tasks 1-3 of 3                                                    │ ~ berlin.csv ██░░░ 30% (15/50) 4s     server awa…
      │    task       progress              time                         │ last seen: running · attempt 1 · 15 items · update…
      │▸ ~ berlin.csv ██░░░░░░ 30% (15/50)  4s     server away: Processe…│ label: berlin.csv
      │  ~ paris.csv  ██░░░░░░ 30% (15/50)  5s     server away: Processe…│ task-0 at http://127.0.0.1:8001/mcp
      │  ~ rome.csv   ██░░░░░░ 30% (15/50)  6s     server away: Processe…│ for 4s
      │                                                                  │ message: Processed 15/50 records
      │                                                                  │ its server is away (connection refused); g tries a…
      │                                                                  │ [timeline] log  steps  result
      │                                                                  │ Its server gives no timeline.
      │                                                                  │
      ⋮ 26 more such lines
      │
      │Enter open · g retry now · Space mark · / find · s sort · f forget · * mark all · u unfinished only · ? all keys

      40×10
      │ 127.0.0.1:8001 reconnecting in 7s (att…
      │Tasks 1-3 of 3
      │    task       progress          time
      │▸ ~ berlin.csv ██░░░ 30% (15/50) 4s
      │  ~ paris.csv  ██░░░ 30% (15/50) 5s
      │  ~ rome.csv   ██░░░ 30% (15/50) 6s
      │server away: Processed 15/50 records
      │
      │Enter open · g retry now · ? all keys
    `);
  });

  it("says of a cancelled task in words that it was cancelled", async () => {
    const cancelled = {
      ...fakeResult({ error: { code: "CANCELLED", message: "Task a was cancelled." } }),
      isError: true,
    };
    const result = { ...cancelled, status: "cancelled", text: '{"error":{"code":"CANCELLED"}}' } as const;
    const end = ({ board }: Screens) => board.store.dispatch({ type: "finished", taskId: "task-1", result });
    expect(await frames(alike, [...toBoard, ["Tasks 1-", end]], "- ")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task          label      progress                time
      │▸ > convert_files berlin.csv ███░░░░░░░ 30% (15/50)  9s     Processed 15/50 rec…
      │  > convert_files rome.csv   ███░░░░░░░ 30% (15/50)  11s    Processed 15/50 rec…
      │  - convert_files paris.csv  ███░░░░░░░ 30% (15/50)  8s     cancelled: Processe…
      │Processed 15/50 records
      ⋮ 15 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3                                                    │ > berlin.csv ██░░░ 30% (15/50) 9s     Processed …
      │    task       progress              time                         │ running · attempt 1 · 15 items · updated 2s ago
      │▸ > berlin.csv ██░░░░░░ 30% (15/50)  9s     Processed 15/50 recor…│ label: berlin.csv
      │  > rome.csv   ██░░░░░░ 30% (15/50)  11s    Processed 15/50 recor…│ task-0 at http://127.0.0.1:8001/mcp
      │  - paris.csv  ██░░░░░░ 30% (15/50)  8s     cancelled: Processed …│ for 9s
      │                                                                  │ message: Processed 15/50 records
      │                                                                  │ [timeline] log  steps  result
      │                                                                  │ Its server gives no timeline.
      │                                                                  │
      ⋮ 27 more such lines
      │
      │Enter open · p pause · c cancel · Space mark · / find · s sort · f forget · * mark all · u unfinished only · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task       progress          time
      │▸ > berlin.csv ██░░░ 30% (15/50) 9s
      │  > rome.csv   ██░░░ 30% (15/50) 11s
      │  - paris.csv  ██░░░ 30% (15/50) 8s
      │Processed 15/50 records
      │
      │Enter open · p pause · ? all keys
    `);
  });

  it("moves a bar where the end of a task is not known", async () => {
    const [first = fakeTask("a")] = alike;
    const endless = { ...first, total: undefined, percent: undefined, progress: 0, message: "Waiting for pages" };
    expect(await frames([endless], [...toBoard, ["Tasks 1-", ""]], "Tasks 1-1 of 1")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-1 of 1
      │    task          label      progress       time   left
      │▸ > convert_files berlin.csv ▒▒▒······· (0) 9s             Waiting for pages
      ⋮ 18 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-1 of 1                                                    │ > berlin.csv ▒▒▒·· (0) 9s     Waiting for pages
      │    task       progress     time   left                           │ running · attempt 1 · 15 items · updated 2s ago
      │▸ > berlin.csv ··▒▒▒··· (0) 9s             Waiting for pages      │ label: berlin.csv
      │                                                                  │ task-0 at http://127.0.0.1:8001/mcp
      │                                                                  │ for 9s
      │                                                                  │ message: Waiting for pages
      │                                                                  │ [timeline] log  steps  result
      │                                                                  │ Its server gives no timeline.
      │                                                                  │
      ⋮ 27 more such lines
      │
      │Enter open · p pause · c cancel · Space mark · / find · s sort · f forget · * mark all · u unfinished only · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-1 of 1
      │    task     progress  time
      │▸ > berlin.… ▒▒▒·· (0) 9s     Waiting f…
      │Waiting for pages
      ⋮ 3 empty lines
      │Enter open · p pause · ? all keys
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

  it("narrows the list to the rows that show every word", async () => {
    const tasks = [...alike, fakeTask("d", { tool: "convert_files", label: "oslo.csv", status: "paused" })];
    const found = await frames(tasks, [...toBoard, ["Tasks 1-", "/"], ["/", "convert paused"]], "1-1 of 1");
    expect(found.map(({ lines }) => lines.slice(1, 4))).toMatchInlineSnapshot(`
      [
        [
          "Tasks 1-1 of 1  /convert paused_",
          "    task          label    progress                time",
          "▸ = convert_files oslo.csv ███░░░░░░░ 30% (15/50)  10s    paused: Processed 15/…",
        ],
        [
          "Tasks 1-1 of 1  /convert paused_                                  │ = oslo.csv ██░░░ 30% (15/50) 10s    paused: Proc…",
          "    task     progress              time   left                    │ paused · attempt 1 · 15 items · updated 2s ago",
          "▸ = oslo.csv ██░░░░░░ 30% (15/50)  10s            paused: Process…│ label: oslo.csv",
        ],
        [
          "Tasks 1-1 of 1  /convert paused_",
          "    task     progress          time",
          "▸ = oslo.csv ██░░░ 30% (15/50) 10s",
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

  it("asks with the marked tasks in sight", async () => {
    expect(await frames(alike, [...toBoard, ["Tasks 1-", "*"], ["3 marked", "p"]], "(y/n)")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Pause 3 tasks? (y/n)
      │> convert_files (berlin.csv) running 30% (15/50) Processed 15/50 records
      │> convert_files (paris.csv) running 30% (15/50) Processed 15/50 records
      │> convert_files (rome.csv) running 30% (15/50) Processed 15/50 records
      ⋮ 17 empty lines
      │y yes · n no

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Pause 3 tasks? (y/n)
      │> convert_files (berlin.csv) running 30% (15/50) Processed 15/50 records
      │> convert_files (paris.csv) running 30% (15/50) Processed 15/50 records
      │> convert_files (rome.csv) running 30% (15/50) Processed 15/50 records
      ⋮ 33 empty lines
      │y yes · n no

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Pause 3 tasks? (y/n)
      │> convert_files (berlin.csv) running 30…
      │> convert_files (paris.csv) running 30%…
      │> convert_files (rome.csv) running 30% …
      ⋮ 3 empty lines
      │y yes · n no
    `);
  });
});
