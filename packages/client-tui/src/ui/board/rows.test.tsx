import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { alike, frames, type Screens, type Way } from "../../../test/frames-at-sizes.js";
import { fakeResult } from "../../../test/odd-texts.js";
import { nowMs } from "../../../test/open-screens.js";

const toBoard: Way = [["of your tasks", "2"]];

describe("the rows of tasks", () => {
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
    const [, wide, narrow] = await frames(alike, [...toBoard, ["Tasks 1-", lost]], "retry");
    expect([wide, narrow]).toMatchInlineSnapshot(`
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
      │                                                                  │ Its server is away: nothing of this is known.
      │                                                                  │
      ⋮ 26 more such lines
      │
      │Enter open · g retry now · Space mark · / find · s sort · d delete · * mark all · u unfinished only · ? all keys

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
    const shown = await frames(alike, [...toBoard, ["Tasks 1-", end]], "- ");
    expect(shown.map(({ lines }) => lines.find((line) => line.startsWith("  - ")))).toEqual([
      "  - convert_files paris.csv  ███░░░░░░░ 30% (15/50)  8s     cancelled: Processe…",
      expect.stringContaining("  - paris.csv  ██░░░░░░ 30% (15/50)  8s     cancelled: Processed …│"),
      "  - paris.csv  ██░░░ 30% (15/50) 8s",
    ]);
  });

  it("moves a bar where the end of a task is not known", async () => {
    const [first = fakeTask("a")] = alike;
    const endless = { ...first, total: undefined, percent: undefined, progress: 0, message: "Waiting for pages" };
    const shown = await frames([endless], [...toBoard, ["Tasks 1-", ""]], "Tasks 1-1 of 1");
    expect(shown.map(({ lines }) => lines[3])).toEqual([
      "▸ > convert_files berlin.csv ▒▒▒······· (0) 9s             Waiting for pages",
      expect.stringContaining("▸ > berlin.csv ··▒▒▒··· (0) 9s             Waiting for pages      │ label: berlin.csv"),
      "▸ > berlin.… ▒▒▒·· (0) 9s     Waiting f…",
    ]);
  });
});
