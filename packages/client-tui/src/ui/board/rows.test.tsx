import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { alike, frames, type Screens, type Way } from "../../../test/frames-at-sizes.js";
import { fakeResult } from "../../../test/odd-texts.js";
import { nowMs } from "../../../test/open-screens.js";

const toBoard: Way = [["of your tasks", "2"]];

describe("the rows of tasks", () => {
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
