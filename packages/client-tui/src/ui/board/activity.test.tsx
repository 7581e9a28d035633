import { describe, expect, it } from "vitest";
import { usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { frames } from "../../../test/frames-at-sizes.js";
import { keys, openScreens } from "../../../test/open-screens.js";

const ended = (id: string, status: "completed" | "failed" | "cancelled", finishedAt: string) =>
  fakeTask(id, { status, finishedAt, createdAt: "2026-11-21T08:10:00.000Z" });
const tasks = [
  fakeTask("a"),
  ended("b", "completed", "2026-11-21T08:40:00.000Z"),
  ended("c", "cancelled", "2026-11-21T08:40:30.000Z"),
  ended("d", "failed", "2026-11-21T08:59:00.000Z"),
  fakeTask("e", {
    ...{ tool: "backup", status: "completed" },
    ...{ createdAt: "2026-11-21T03:00:00.000Z", finishedAt: "2026-11-21T04:00:00.000Z" },
  }),
];

describe("the last hour or day of the list", () => {
  it("has a chart of what started, ended and failed, where that leaves room for tasks", async () => {
    const way = [
      ["1 of your tasks", "m"],
      ["list tasks", "2"],
      ["Tasks 1-", "t"],
    ] as const;
    expect(await frames(tasks, way, "last hour")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-4 of 4  last hour
      │Last hour: 4 started, 2 ended, 1 failed
      │started ▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▄
      │ended   ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▆▁▁▁▁▁▁▁▁▁▁
      │failed  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▄▁
      │    task        progress                time   left    rate
      │▸ > count_words ███░░░░░░░ 30% (15/50)  12s                    Processed 15/50 …
      │  + count_words ███░░░░░░░ 30% (15/50)  30m00s                 completed
      │  - count_words ███░░░░░░░ 30% (15/50)  30m30s                 cancelled: Proce…
      │  x count_words ███░░░░░░░ 30% (15/50)  49m00s                 failed
      │Processed 15/50 records
      ⋮ 10 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-4 of 4  last hour                                         │ > count_words ██░░░ 30% (15/50) 12s    Processed…
      │Last hour: 4 started, 2 ended, 1 failed                           │ running · attempt 1 · 15 items · updated 2s ago
      │started ▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▄                            │ a at http://127.0.0.1:8001/mcp
      │ended   ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▆▁▁▁▁▁▁▁▁▁▁                            │ for 12s
      │failed  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▄▁                            │ message: Processed 15/50 records
      │    task        progress              time                        │ [timeline] log  steps  result
      │▸ > count_words ██░░░░░░ 30% (15/50)  12s    Processed 15/50 reco…│ Its server gives no timeline.
      │  + count_words ██░░░░░░ 30% (15/50)  30m00s completed            │
      │  - count_words ██░░░░░░ 30% (15/50)  30m30s cancelled: Processed…│
      │  x count_words ██░░░░░░ 30% (15/50)  49m00s failed               │
      │                                                                  │
      ⋮ 25 more such lines
      │
      │Enter open · p pause · c cancel · Space mark · / find · s sort · d delete · * mark all · u unfinished only · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 4  last hour
      │    task        progress          time
      │▸ > count_words ██░░░ 30% (15/50) 12s
      │  + count_words ██░░░ 30% (15/50) 30m00s
      │  - count_words ██░░░ 30% (15/50) 30m30s
      │Processed 15/50 records
      │
      │Enter open · p pause · ? all keys
    `);
  });

  it("has with the day what is older, ends with Esc, and says what to do where nothing matches", async () => {
    const screen = openScreens(tasks.slice(4), { size: usual });
    await screen.go(["process data", "2"], ["Tasks 1-1 of 1", "t"]);
    await screen.go(["No tasks that match. Esc shows all.", "t"]);
    await screen.go(["Last day: 1 started, 1 ended, 0 failed", keys.escape]);
    await expect.poll(() => screen.frame().lines[1]).toBe("Tasks 1-1 of 1");
  });

  it("leaves clicks to the tasks that are under it", async () => {
    const screen = openScreens(tasks, { size: usual });
    await screen.go(["1 of your tasks", "m"], ["list tasks", "2"], ["Tasks 1-5 of 5", "t"]);
    await screen.go(["last hour", "\u001b[<0;1;11M"], ["▸ x count_words", "\u001b[<0;1;11M"]);
    await screen.until("d at http");
  });
});
