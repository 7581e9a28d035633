import { describe, expect, it } from "vitest";
import { large, least, usual } from "../../test/draw.js";
import { fakeTask } from "../../test/fake-client.js";
import { hostile, manyTasks } from "../../test/odd-texts.js";
import { keys, openScreens } from "../../test/open-screens.js";

const noAnswer = "No server answers at http://127.0.0.1:8001/mcp (connection refused). Start it first.";

describe("the screens", () => {
  it("open with the menu where nothing is unfinished", async () => {
    const screen = openScreens([fakeTask("a", { status: "completed" })]);
    await screen.until("process data");
  });

  it.each([
    [{ columns: 39, rows: 24 }, "Too small: 40×10 is needed."],
    [{ columns: 80, rows: 9 }, "Too small: 40×10 is needed."],
    [{ columns: 12, rows: 1 }, "Too small: …"],
  ])("say at %j what they need, and still let one leave", (size, text) => {
    const screen = openScreens([fakeTask("a")], { size });
    expect(screen.frame().lines).toEqual([text]);
    for (const key of ["q", keys.interrupt]) screen.press(key);
    expect(screen.exits).toEqual(["interrupt"]);
  });

  it("are where they were when a terminal that became too small grows again", async () => {
    const screen = openScreens([]);
    await screen.go(["process data", "3"]);
    await screen.until("completed       2");
    screen.resize({ columns: 30, rows: 8 });
    await screen.until("Too small: 40×10 is needed");
    screen.resize(large);
    expect((await screen.until("completed       2")).lines).toHaveLength(39);
  });

  it("keep every frame within the terminal while it is resized", async () => {
    const screen = openScreens(manyTasks, { size: large });
    await screen.until("200 of your tasks");
    for (const size of [least, usual, { columns: 41, rows: 11 }, large]) {
      screen.resize(size);
      expect(screen.frame().lines).toHaveLength(size.rows - 1);
    }
  });

  it("tell a notice in whole words, what to do at its end, until the next key", async () => {
    const screen = openScreens([fakeTask("a")], { size: least });
    await screen.until("1 of your tasks");
    screen.board.notice("error", noAnswer);
    expect((await screen.until("Start it first.")).lines.slice(4)).toEqual([
      "updated 2s ago: Processed 15/50 records",
      "✘ No server answers at",
      "  http://127.0.0.1:8001/mcp (connection",
      "  refused). Start it first.",
      "Enter open · p pause · ? all keys",
    ]);
    screen.press("x");
    await screen.until("updated 2s ago");
  });

  it("still show what is at the cursor next to a question and a notice on the least terminal", async () => {
    const question = { key: "q", message: "Are you sure?", schema: {}, userOnly: false };
    const screen = openScreens([fakeTask("a", { status: "input_required", questions: [question] })], { size: least });
    await screen.until("? Ctrl-Y answers");
    screen.board.notice("error", noAnswer);
    expect(await screen.until("Start it first.")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │1 of your tasks: 1 needs input.
      │▸ ? count_words ██░░░ 30% (15/50) 12s
      │updated 2s ago: Processed 15/50 records
      │? Ctrl-Y answers: count_words asks: Are…
      │✘ No server answers at
      │  http://127.0.0.1:8001/mcp (connection
      │  refused). Start it first.
      │Enter open · p pause · ? all keys
    `);
    screen.press(keys.enter);
    await screen.until("[timeline]");
    screen.board.notice("error", noAnswer);
    expect(await screen.until("Start it first.")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │? count_words ██░░░ 30% (15/50) 12s
      │question (a answers): Are you sure?
      │[timeline] log  steps  result
      │? Ctrl-Y answers: count_words asks: Are…
      │✘ No server answers at
      │  http://127.0.0.1:8001/mcp (connection
      │  refused). Start it first.
      │p pause · c cancel · ? all keys
    `);
  });

  it("cut a notice that would take more than three lines, and draw nothing of it that could repaint the terminal", async () => {
    const screen = openScreens([], { size: least });
    await screen.until("process data");
    screen.board.notice("info", `${hostile} ${"word ".repeat(40)}`);
    const { lines } = await screen.until("word word");
    expect(lines.slice(-4)).toEqual([
      "ℹ evil next line word word word word",
      "  word word word word word word word",
      "  word word word word word word word wo…",
      "1-5 or Enter choose · 0 exit",
    ]);
  });

  it("say on Ctrl-Y that no task asks anything", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.go(["1 of your tasks", keys.question]);
    await screen.until("No open question.");
  });

  it("are the same without colours, but for the colours", async () => {
    const plain = openScreens([fakeTask("a")]);
    const { lines } = await plain.until("1 of your tasks");
    const bare = plain.colored();
    const colored = openScreens([fakeTask("a")], { colors: true });
    await colored.until("1 of your tasks");
    const named = colored.colored();
    expect([bare.includes("{"), named.includes("{cyan}")]).toEqual([false, true]);
    expect(named.split("\n").map((line) => line.replaceAll(/\{[\w/]+\}/g, "").trimEnd())).toEqual(lines);
  });
});
