import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { keys, openScreens } from "../../../test/open-screens.js";

const two = [fakeTask("a"), fakeTask("b", { tool: "backup", status: "paused" })];

describe("the palette of commands", () => {
  it("has on : everything that can be done, first with the task at the cursor", async () => {
    const screen = openScreens(two);
    await screen.go(["2 of your tasks", ":"]);
    expect(await screen.until(":_")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │:_
      │▸ open count_words                  Enter
      │  pause count_words                 p
      │  cancel count_words                c
      │  delete count_words                d
      │  restart count_words               n
      │  shell command of count_words      y
      │  id of count_words                 i
      │  resume all interrupted tasks      R
      │  pause all running tasks
      │  call a tool                       1
      │  list tasks                        2
      │  statistics                        3
      │  session summary                   4
      │  servers                           5
      │  add a server
      │  import servers of other programs
      │  ask the servers again now         g
      │  kill the server
      │  leave: tasks continue             Ctrl-C
      │
      │Enter run · ↑↓ move · type to search · Esc back
    `);
  });

  it.each([[least], [large]])("scrolls or leaves room at %j", async (size) => {
    const screen = openScreens(two, { size });
    await screen.go(["2 of your tasks", ":"]);
    const { lines } = await screen.until(":_");
    expect([lines.length, lines[2]]).toEqual([size.rows - 1, expect.stringContaining("▸ open count_words")]);
  });

  it("runs what is found by typing, from any screen", async () => {
    const screen = openScreens(two, { size: usual });
    await screen.go(["2 of your tasks", "2"], ["Tasks 1-2 of 2", ":"], [":_", "pause count"]);
    await screen.until("▸ pause count_words");
    screen.press(keys.enter);
    await screen.until("Tasks 1-2 of 2");
    expect(screen.said).toContain("pause a");
    await screen.go(["Tasks 1-2 of 2", ":"], [":_", "stat"], [":stat_", keys.enter]);
    await screen.until("completed       2");
  });

  it("names a tool by its title, restarts a task with its arguments, and copies them", async () => {
    const titled = fakeTask("a", { title: "Count the words" });
    const journal = { lastSeq: 0, arguments: { path: "/var/log" }, events: [] };
    const screen = openScreens([titled], { journal });
    await screen.go(["1 of your tasks", ":"], [":_", "restart count the"], ["▸ restart Count the words", keys.enter]);
    await screen.until("path* /var/log");
    const copying = openScreens([titled], { journal });
    await copying.go(["1 of your tasks", keys.enter], ["arguments: {", ":"], [":_", "arguments"]);
    await copying.go(["▸ arguments of Count the words", keys.enter]);
    await copying.until('if your terminal allows it: {"path":"/var/log"}');
    expect(copying.copied).toEqual(['{"path":"/var/log"}']);
  });

  it("is left by Escape, and says when nothing matches", async () => {
    const screen = openScreens(two);
    await screen.go(["2 of your tasks", ":"], [":_", "zzz"], ["No command matches.", keys.escape]);
    await screen.until("2 of your tasks");
  });
});
