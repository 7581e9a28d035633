import { describe, expect, it } from "vitest";
import { drawPart, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { hostile } from "../../../test/odd-texts.js";
import { keys, openScreens } from "../../../test/open-screens.js";
import { Confirm, reduceConfirm } from "./confirm.js";

const text = "Cancel task a (count_words)? Items are kept, but cancelled tasks cannot be resumed.";

function ask(question: string, size = usual) {
  return drawPart(<Confirm text={question} {...size} onDecide={() => {}} />, size);
}

describe("keys on a confirmation", () => {
  it.each([
    [typed("y"), true],
    [typed("n"), false],
    [named("enter"), false],
    [named("escape"), false],
    [typed("Y"), undefined],
    [typed("x"), undefined],
    [pasted("y"), undefined],
  ])("%j says %s", (press, outcome) => {
    expect(reduceConfirm(undefined, press).outcome).toBe(outcome);
  });
});

describe("a confirmation", () => {
  it("is asked in whole words, with the keys that answer it", () => {
    expect(ask(text, least).frame()).toMatchInlineSnapshot(`
      40×10
      │Cancel task a (count_words)? Items are
      │kept, but cancelled tasks cannot be
      │resumed. (y/n)
    `);
    expect(ask(text, usual).frame()).toMatchInlineSnapshot(`
      80×24
      │Cancel task a (count_words)? Items are kept, but cancelled tasks cannot be
      │resumed. (y/n)
    `);
    expect(ask(text, { columns: 57, rows: 12 }).frame().lines[1]).toBe("cancelled tasks cannot be resumed. (y/n)");
  });

  it("lists what it is about, as far as there is room", () => {
    const lines = ["> count_words running 30% (15/50)", "= backup paused 10% (5/50)", "> train running", "> mirror"];
    const drawn = drawPart(
      <Confirm text="Pause 4 tasks?" {...{ lines }} columns={40} rows={4} onDecide={() => {}} />,
      least,
    );
    expect(drawn.frame().lines).toEqual(["Pause 4 tasks? (y/n)", ...lines.slice(0, 2), "… 2 more"]);
  });

  it("draws nothing of a task that could repaint the terminal", () => {
    expect(ask(`Delete task a (${hostile})?`).frame().lines).toEqual(["Delete task a (evil next line)? (y/n)"]);
  });

  it("takes Escape for no", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.go(["1 of your tasks", "c"], ["(y/n)", keys.escape]);
    await screen.until("1 of your tasks");
    expect(screen.said).toEqual([]);
  });
});
