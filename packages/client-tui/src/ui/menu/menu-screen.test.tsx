import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { manyTasks } from "../../../test/odd-texts.js";
import { keys, openScreens } from "../../../test/open-screens.js";

async function openMenu(...given: Parameters<typeof openScreens>) {
  const screen = openScreens(...given);
  await screen.go(["of your tasks", "m"]);
  await screen.until("process data");
  return screen;
}

describe("the screen of the menu", () => {
  it("has what the program can do, and below it what is not finished", async () => {
    const screen = await openMenu([fakeTask("a"), fakeTask("b", { tool: "backup", status: "paused" })], {
      size: usual,
    });
    expect(screen.frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │▸ 1 process data: run the last tool
      │  t call a tool
      │  2 list tasks
      │  3 statistics
      │  4 session summary
      │  5 servers
      │  k kill the server
      │  0 exit
      │
      │2 unfinished
      │  > count_words ███░░░░░░░ 30% (15/50)  12s                    Processed 15/50 …
      │  = backup      ███░░░░░░░ 30% (15/50)  10s                    paused: Processe…
      ⋮ 9 empty lines
      │1-5 or Enter choose · : commands · Ctrl-C leave · 0 exit
    `);
  });

  it("scrolls on a low screen, on which there is no room for tasks", async () => {
    const screen = await openMenu([fakeTask("a")], { size: least });
    expect(screen.frame()).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │▸ 1 process data: run the last tool
      │  t call a tool
      │  2 list tasks
      │  3 statistics
      │  4 session summary
      │↓ 5 servers
      │
      │1-5 or Enter choose · 0 exit
    `);
    for (const _ of "1234567") screen.press(keys.down);
    expect(await screen.until("▸ 0 exit")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │↑ 2 list tasks
      │  3 statistics
      │  4 session summary
      │  5 servers
      │  k kill the server
      │▸ 0 exit
      │
      │1-5 or Enter choose · 0 exit
    `);
  });

  it("says where all tasks are, when they are too many", async () => {
    const { lines } = (await openMenu(manyTasks, { size: large })).frame();
    expect([lines.length, lines[10]]).toEqual([39, "200 unfinished; 2 lists all"]);
  });

  it("has what the embedding program adds", async () => {
    const screen = openScreens([]);
    await screen.go(["k kill the server", "k"]);
    await screen.until("killed");
  });

  it("answers a wrong key with its keys, until the next key (feature 43)", async () => {
    const screen = openScreens([]);
    await screen.go(["process data", "9"]);
    expect((await screen.until("is not a key")).lines).toContain(
      'ℹ "9" is not a key of the menu. Its keys are 1 t 2 3 4 5 k 0.',
    );
    screen.press("4");
    await screen.until("Session");
    await expect.poll(() => screen.frame().lines.join()).not.toContain("is not a key");
  });

  it("leaves on Ctrl-C and on 0", async () => {
    const screen = openScreens([]);
    await screen.go(["process data", "0"], ["process data", keys.interrupt]);
    expect(screen.exits).toEqual(["quit", "interrupt"]);
  });
});
