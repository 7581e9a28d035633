import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { fakeResult, hostile, manyTasks, oddTasks, otherServer, twoServers } from "../../../test/odd-texts.js";
import { keys, nowMs, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";
import { newBoardTask } from "../../model/board-task.js";
import { Board } from "./board.js";

const three = [
  fakeTask("a", { createdAt: "2026-11-21T09:00:03.000Z" }),
  fakeTask("b", { tool: "backup", status: "paused", createdAt: "2026-11-21T09:00:02.000Z" }),
  fakeTask("c", { tool: "train", status: "failed", error: { code: "TOOL_FAILED", message: "no data" } }),
];

async function openBoard(tasks: Parameters<typeof openScreens>[0], options?: OpenScreensOptions) {
  const screen = openScreens(tasks, options);
  await screen.go(["of your tasks", "m"], ["list tasks", "2"]);
  await screen.until(`of ${tasks.length}`);
  return screen;
}

describe("the list of tasks", () => {
  it("keeps the cursor at the task at which it was first seen when that finishes and moves down", async () => {
    const screen = await openBoard(three.slice(0, 2));
    await screen.until("▸ > count_words");
    screen.board.store.dispatch({ type: "seen", task: fakeTask("a", { status: "completed", lastSeq: 10 }) });
    const { lines } = await screen.until("▸ + count_words");
    expect(lines.slice(3, 5).map((line) => line.slice(0, 15))).toEqual(["  = backup     ", "▸ + count_words"]);
    screen.press("c");
    await screen.until("Cancel task a");
  });

  it("has columns that stay in line, and marks that read without colour", async () => {
    expect((await openBoard(three)).frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task        progress                time   left    rate
      │▸ > count_words ███░░░░░░░ 30% (15/50)  9s                     Processed 15/50 …
      │  = backup      ███░░░░░░░ 30% (15/50)  10s                    paused: Processe…
      │  x train       ███░░░░░░░ 30% (15/50)  10s                    failed: no data
      │Processed 15/50 records
      ⋮ 15 empty lines
      │Enter open · p pause · r resume · c cancel · Space mark · / find · ? all keys
    `);
  });

  it("leaves messages to its last line on a narrow screen", async () => {
    expect((await openBoard(three, { size: least })).frame()).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task        progress          time
      │▸ > count_words ██░░░ 30% (15/50) 9s
      │  = backup      ██░░░ 30% (15/50) 10s
      │  x train       ██░░░ 30% (15/50) 10s
      │Processed 15/50 records
      │
      │Enter open · p pause · ? all keys
    `);
  });

  it("tells on which server each is, on a large one", async () => {
    const tasks = [...three, fakeTask("d", { tool: "mirror", server: otherServer })];
    expect((await openBoard(tasks, { size: large, servers: twoServers })).frame()).toMatchInlineSnapshot(`
      120×40
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │Tasks 1-4 of 4
      │    task        server         progress                     time   left    rate
      │▸ > count_words work           █████░░░░░░░░░░ 30% (15/50)  9s                     Processed 15/50 records
      │  = backup      work           █████░░░░░░░░░░ 30% (15/50)  10s                    paused: Processed 15/50 records
      │  > mirror      127.0.0.1:8002 █████░░░░░░░░░░ 30% (15/50)  12s                    Processed 15/50 records
      │  x train       work           █████░░░░░░░░░░ 30% (15/50)  10s                    failed: no data
      ⋮ 31 empty lines
      │Enter open · p pause · r resume · c cancel · Space mark · / find · s sort · f forget · * mark all · ? all keys
    `);
  });

  it.each([[usual], [large]])(
    "tells how fast a task goes and how long it will take, where that is known, at %j",
    (size) => {
      const pace = [5, 10, 15].map((progress, index) => ({ progress, atMs: nowMs - 10_000 + index * 5_000 }));
      const tasks = [{ ...newBoardTask(fakeTask("a")), pace }, newBoardTask(fakeTask("b", { tool: "backup" }))];
      const board = (
        <Board
          tasks={new Map(tasks.map((task) => [task.info.id, task]))}
          columns={size.columns}
          rows={20}
          nowMs={nowMs}
          onOutcome={() => {}}
          onLook={() => {}}
        />
      );
      const [, titles, first, second] = drawPart(board, size).frame().lines;
      const cells = [titles, first, second].map((line) =>
        line?.split(/ {2,}/).filter((cell) => /^(left|rate|~|1.0)/.test(cell)),
      );
      expect(cells).toEqual([["left", "rate"], ["~35s", expect.stringMatching(/^1\.0\/s/)], []]);
    },
  );

  it("keeps its columns in line whatever names and messages are made of", async () => {
    expect((await openBoard(oddTasks)).frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-8 of 8
      │    task              progress                time   left
      │▸ > count_words       ███░░░░░░░ 30% (15/50)  12s            Processed 15/50 re…
      │  = a_tool_with_a_ve… ███░░░░░░░ 30% (15/50)  12s            paused: evil next …
      │  > 数える道具        ██████████ 99%          12s            日本語のメッセージ…
      │  ! crossing          ███░░░░░░░ 30% (15/50)  12s            interrupted: Proce…
      │  … to_come           ░░░░░░░░░░ 0% (0/50)    12s            pending: Processed…
      │  x 👩 👧 🇩🇪 café ©   ███░░░░░░░ 30% (15/50)  10s            failed: evil next …
      │  + over              ██████████ 100% (50/50) 10s            completed
      │  - stopped           ███░░░░░░░ 30% (15/50)  10s            cancelled
      │Processed 15/50 records
      ⋮ 10 empty lines
      │Enter open · p pause · r resume · c cancel · Space mark · / find · ? all keys
    `);
  });

  it.each([
    [usual, "Tasks 184-200 of 200"],
    [least, "Tasks 198-200 of 200"],
    [large, "Tasks 168-200 of 200"],
  ])("keeps the cursor in sight among many tasks at %j", async (size, title) => {
    const screen = await openBoard(manyTasks, { size });
    screen.press("\u001b[F");
    const { lines } = await screen.until(title);
    expect([lines.length, lines.at(-4)?.slice(0, 8)]).toEqual([size.rows - 1, "▸ > coun"]);
  });

  it("says what to do where there is nothing, and where nothing matches or is unfinished", async () => {
    const screen = openScreens([], { size: least });
    await screen.go(["process data", "2"]);
    expect(await screen.until("No tasks")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks
      │No tasks. 1 in the menu calls a tool.
      ⋮ 5 empty lines
      │Enter open · p pause · ? all keys
    `);
    screen.press("u");
    await screen.until("No unfinished tasks. u shows all.");
    for (const key of ["/", "x", keys.enter]) screen.press(key);
    expect((await screen.until("No tasks that match. Esc shows all.")).lines[1]).toBe("Tasks  /x  unfinished only");
  });

  it("marks several tasks and pauses them after one confirmation", async () => {
    const screen = await openBoard(three);
    screen.press("  ");
    await screen.go(["2 marked", "p"], ["Pause 2 tasks? (y/n)", "y"]);
    await screen.until("Tasks 1-3 of 3");
    expect(screen.said.filter((verb) => verb.startsWith("pause"))).toEqual(["pause a", "pause b"]);
  });

  it("keeps its filter when one comes back from a task", async () => {
    const screen = await openBoard(three);
    for (const key of ["/", "back", keys.enter]) screen.press(key);
    await screen.go(["Tasks 1-1 of 1  /back", keys.enter], ["[1 timeline]", keys.escape]);
    await screen.until("Tasks 1-1 of 1  /back");
  });

  it("says first what is being typed, then how else the list is narrowed and ordered", async () => {
    const screen = await openBoard(three, { size: least });
    for (const key of ["*", "s", "u", "/", "b"]) screen.press(key);
    expect((await screen.until("/b_")).lines[1]).toBe("Tasks 1-1 of 1  /b_  1 marked  unfinish…");
  });

  it("previews the result of the finished task at the cursor", async () => {
    const screen = openScreens([fakeTask("c", { status: "completed" })], { result: fakeResult({ words: 12 }) });
    await screen.go(["process data", "2"]);
    await screen.until('result: {"words":12}');
  });

  it("draws nothing of a result that could repaint the terminal", async () => {
    const result = { ...fakeResult({}), structuredContent: undefined, text: hostile };
    const { structuredContent: _none, ...plain } = result;
    const screen = openScreens([fakeTask("c", { status: "completed" })], { result: plain });
    await screen.go(["process data", "2"]);
    await screen.until("result: evil next line");
  });

  it("lists all keys on ?", async () => {
    const screen = await openBoard(three);
    await screen.go(["Tasks", "?"], ["u unfinished only", keys.escape]);
    await screen.until("Tasks 1-3 of 3");
  });
});
