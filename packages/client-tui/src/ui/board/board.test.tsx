import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../../test/draw.js";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { fakeResult, hostile, manyTasks, otherServer, twoServers } from "../../../test/odd-texts.js";
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
    screen.press("d");
    await screen.until("Delete task a");
  });

  it("has columns that stay in line, and marks that read without colour", async () => {
    expect((await openBoard(three)).frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Tasks 1-3 of 3
      │    task        progress                time   left    rate
      │▸ > count_words ███░░░░░░░ 30% (15/50)  9s                     Processed 15/50 …
      │  = backup      ███░░░░░░░ 30% (15/50)  8s                     paused: Processe…
      │  x train       ███░░░░░░░ 30% (15/50)  10s                    failed: no data
      │Processed 15/50 records
      ⋮ 15 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · ? all keys
    `);
  });

  it("tells on which server each is where there is room, and shows the task at the cursor next to it from 110 columns on", async () => {
    const tasks = [...three, fakeTask("d", { tool: "mirror", server: otherServer })];
    const below = await openBoard(tasks, { size: { columns: 109, rows: 12 }, servers: twoServers });
    expect(below.frame()).toMatchInlineSnapshot(`
      109×12
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │Tasks 1-4 of 4
      │    task        server         progress                   time   left    rate
      │▸ > count_words work           ████░░░░░░░░░ 30% (15/50)  9s                     Processed 15/50 records
      │  > mirror      127.0.0.1:8002 ████░░░░░░░░░ 30% (15/50)  12s                    Processed 15/50 records
      │  = backup      work           ████░░░░░░░░░ 30% (15/50)  8s                     paused: Processed 15/50 rec…
      │  x train       work           ████░░░░░░░░░ 30% (15/50)  10s                    failed: no data
      ⋮ 3 empty lines
      │Enter open · p pause · c cancel · Space mark · / find · s sort · d delete · * mark all · ? all keys
    `);
    const wide = await openBoard(tasks, { size: { columns: 120, rows: 12 }, servers: twoServers });
    expect(await wide.until("gives no timeline")).toMatchInlineSnapshot(`
      120×12
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │Tasks 1-4 of 4                                                    │ > count_words ██░░░ 30% (15/50) 9s     Processed…
      │    task        progress              time                        │ running · attempt 1 · 15 items · updated 2s ago
      │▸ > count_words ██░░░░░░ 30% (15/50)  9s     Processed 15/50 reco…│ a at http://127.0.0.1:8001/mcp
      │  > mirror      ██░░░░░░ 30% (15/50)  12s    Processed 15/50 reco…│ for 9s
      │  = backup      ██░░░░░░ 30% (15/50)  8s     paused: Processed 15…│ message: Processed 15/50 records
      │  x train       ██░░░░░░ 30% (15/50)  10s    failed: no data      │ [timeline] log  steps  result
      │                                                                  │ Its server gives no timeline.
      │                                                                  │
      │
      │Enter open · p pause · c cancel · Space mark · / find · s sort · d delete · * mark all · u unfinished only · ? all keys
    `);
  });

  it.each([[usual], [{ columns: 109, rows: 40 }]])(
    "tells how fast a task goes and how long it will take, where that is known, at %j",
    (size) => {
      const pace = [5, 10, 15].map((progress, index) => ({ progress, atMs: nowMs - 10_000 + index * 5_000 }));
      const tasks = [{ ...newBoardTask(fakeTask("a")), pace }, newBoardTask(fakeTask("b", { tool: "backup" }))];
      const board = (
        <Board
          tasks={new Map(tasks.map((task) => [task.info.id, task]))}
          columns={size.columns}
          rows={20}
          clock={() => nowMs}
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
      │No tasks. 1 calls a tool.
      ⋮ 5 empty lines
      │/ find · s sort · ? all keys
    `);
    screen.press("u");
    await screen.until("No unfinished tasks. u shows all.");
    for (const key of ["/", "x", keys.enter]) screen.press(key);
    expect((await screen.until("No tasks that match. Esc shows all.")).lines[1]).toBe("Tasks  /x  unfinished only");
  });

  it("marks several tasks and pauses those that run, after one confirmation that lists them", async () => {
    const screen = await openBoard([...three, fakeTask("d", { tool: "mirror", label: "books" })]);
    screen.press("*");
    await screen.go(["4 marked", "p"]);
    expect((await screen.until("(y/n)")).lines.slice(1, 5)).toEqual([
      "Pause 2 tasks? (y/n)",
      "> count_words running 30% (15/50) Processed 15/50 records",
      "> mirror (books) running 30% (15/50) Processed 15/50 records",
      "",
    ]);
    screen.press("y");
    await screen.until("Tasks 1-4 of 4");
    expect(screen.said.filter((verb) => verb.startsWith("pause"))).toEqual(["pause a", "pause d"]);
  });

  it("says of a task that it pauses until it is paused, and that its server is away", async () => {
    const screen = await openBoard([fakeTask("a")]);
    screen.press("p");
    await screen.until("pausing…: Processed");
    screen.board.store.dispatch({ type: "seen", task: fakeTask("a", { status: "paused", lastSeq: 10 }) });
    await screen.until("paused: Processed");
    const state = { name: "down", known: true, reason: "connection refused" } as const;
    screen.board.store.dispatch({ type: "seen", task: fakeTask("a", { lastSeq: 11 }) });
    screen.board.store.dispatch({ type: "servers", servers: [{ address: fakeServer, state }], atMs: nowMs - 5_000 });
    const { lines } = await screen.until("server away");
    expect([lines[3], lines.at(-1)]).toEqual([
      "▸ ~ count_words ███░░░░░░░ 30% (15/50)  7s                     server away: Pro…",
      "Enter open · g retry now · Space mark · / find · s sort · d delete · ? all keys",
    ]);
    screen.press("p");
    await screen.until("The server of count_words is away, so it cannot pause now. g tries again.");
    screen.press("g");
    await screen.until("Processed 15/50 records");
    expect(screen.said).toContain("retryNow");
  });

  it("finds tasks that have every word, in what their rows show", async () => {
    const screen = await openBoard([...three, fakeTask("d3", { tool: "mirror", status: "paused" })]);
    for (const key of ["/", "paused back", keys.enter]) screen.press(key);
    await screen.until("Tasks 1-1 of 1  /paused back");
    for (const key of ["/", "\u007f".repeat(11), "d3", keys.enter]) screen.press(key);
    await screen.until("No tasks that match.");
  });

  it("keeps its filter when one comes back from a task", async () => {
    const screen = await openBoard(three);
    for (const key of ["/", "back", keys.enter]) screen.press(key);
    await screen.go(["Tasks 1-1 of 1  /back", keys.enter], ["[timeline]", keys.escape]);
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
