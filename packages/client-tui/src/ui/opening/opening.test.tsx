import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { hostile, manyTasks, otherServer, rememberedTask, twoServers } from "../../../test/odd-texts.js";
import { keys, openScreens } from "../../../test/open-screens.js";
import { Opening } from "./opening.js";

const two = [fakeTask("a"), fakeTask("b", { status: "paused", server: otherServer })];

describe("the opening screen", () => {
  it("shows which servers answer, and what is not finished on each, with its age", async () => {
    const screen = openScreens([...two, fakeTask("c", { status: "completed" })], { servers: twoServers });
    expect(await screen.until("2 of your tasks")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │2 of your tasks: 1 paused, 1 running.
      │
      │work  live
      │▸ > count_words ███░░░░░░░ 30% (15/50)  12s                    Processed 15/50 …
      │127.0.0.1:8002  down: connection refused
      │  = count_words ███░░░░░░░ 30% (15/50)  10s                    paused: Processe…
      │updated 2s ago: Processed 15/50 records
      ⋮ 14 empty lines
      │Enter open · p pause · c cancel · d delete · 2 tasks · : commands · ? all keys
    `);
  });

  it("says the same on a low and narrow screen", async () => {
    const screen = openScreens(two, { servers: twoServers, size: least });
    expect(await screen.until("2 of your tasks")).toMatchInlineSnapshot(`
      40×10
      │ 1 of 2 servers live · 127.0.0.1:8002 d…
      │2 of your tasks: 1 paused, 1 running.
      │work  live
      │▸ > count_words ██░░░ 30% (15/50) 12s
      │127.0.0.1:8002  down: connection refused
      │  = count_words ██░░░ 30% (15/50) 10s
      │updated 2s ago: Processed 15/50 records
      │
      │Enter open · p pause · ? all keys
    `);
  });

  it.each([[usual], [least], [large]])("keeps the cursor in sight among many tasks at %j", async (size) => {
    const screen = openScreens(manyTasks, { size });
    await screen.until("200 of your tasks");
    for (let step = 0; step < 10; step += 1) screen.press("\u001b[6~");
    const { lines } = await screen.until("▸ > count_1");
    expect([lines.length, lines.filter((line) => line.includes("▸ > count_1"))]).toEqual([
      size.rows - 1,
      [expect.stringContaining("▸ > count_1")],
    ]);
  });

  it("shows of a server that does not answer what was last seen, why, and what to do", async () => {
    const summary = { activeTasks: [rememberedTask] };
    const screen = openScreens([fakeTask("a")], { servers: twoServers, silent: [otherServer], summary });
    await screen.until("2 of your tasks");
    expect(await screen.until("✘ No server")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │2 of your tasks: 1 out of reach, 1 running.
      │
      │work  live
      │▸ > count_words ███░░░░░░░ 30% (15/50)  12s                    Processed 15/50 …
      │127.0.0.1:8002  down: connection refused
      │  ~ count_words ███░░░░░░░ 30% (15/50)  10s                    no answer yet; l…
      │updated 2s ago: Processed 15/50 records
      ⋮ 12 empty lines
      │✘ No server answers at http://127.0.0.1:8002/mcp (connection refused). Start it
      │  first.
      │Enter open · p pause · c cancel · d delete · 2 tasks · : commands · ? all keys
    `);
  });

  it("says that it looks while no server has answered", () => {
    const looking = (
      <Opening servers={[]} tasks={[]} ready={false} columns={40} rows={6} nowMs={0} onOutcome={() => {}} />
    );
    expect(drawPart(looking, least).frame().lines).toEqual(["Looking for your tasks…", ""]);
  });

  it("draws nothing of a message that could repaint the terminal", async () => {
    const screen = openScreens([fakeTask("a", { message: hostile })]);
    expect((await screen.until("1 of your tasks")).lines).toContain("updated 2s ago: evil next line");
  });

  it("opens a task on Enter, and comes back", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.go(["1 of your tasks", keys.enter], ["[timeline]", keys.escape]);
    expect((await screen.until("1 of your tasks")).lines[1]).toBe("1 of your tasks: 1 running.");
  });

  it("resumes what was interrupted on R, asks before, and leaves what was paused on purpose", async () => {
    const tasks = [
      fakeTask("a", { interrupted: true }),
      fakeTask("b", { status: "paused" }),
      fakeTask("c"),
      fakeTask("d", { tool: "backup", interrupted: true }),
    ];
    const screen = openScreens(tasks);
    await screen.go(["2 interrupted, 1 paused, 1 running.", "R"]);
    expect(await screen.until("(y/n)")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Resume 2 interrupted tasks? 1 paused task stays paused. (y/n)
      │! count_words interrupted 30% (15/50) Processed 15/50 records
      │! backup interrupted 30% (15/50) Processed 15/50 records
      ⋮ 18 empty lines
      │y yes · n no
    `);
    screen.press("y");
    await screen.until("Tasks 1-4 of 4");
    expect(screen.board.resumeAll()).toEqual({ tasks: 2, awaitedServers: 0 });
    expect(screen.said.filter((verb) => verb.startsWith("resume"))).toEqual([]);
  });

  it("offers nothing to resume while everything runs", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b")]);
    expect((await screen.until("2 running")).lines.at(-1)).not.toContain("resume");
    screen.press("R");
    await screen.until("No interrupted tasks.");
  });

  it("offers for each task the keys that work on it", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b", { status: "paused" })]);
    const first = (await screen.until("2 of your tasks")).lines.at(-1);
    screen.press(keys.down);
    const second = (await screen.until("▸ = count_words")).lines.at(-1);
    expect([first, second]).toEqual([
      "Enter open · p pause · c cancel · d delete · 2 tasks · : commands · ? all keys",
      "Enter open · r resume · c cancel · d delete · 2 tasks · : commands · ? all keys",
    ]);
  });

  it("asks before a task is cancelled or deleted, and only y says yes", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.go(
      ["1 of your tasks:", "c"],
      ["Cancel task a (count_words)?", "n"],
      ["1 of your tasks:", "c"],
      ["Cancel task a", "y"],
      ["1 of your tasks:", "d"],
      ["Delete task a (count_words)? It stays on its server", "y"],
    );
    await screen.until("process data");
    expect(screen.said).toEqual(["cancel a", "delete a"]);
  });
});
