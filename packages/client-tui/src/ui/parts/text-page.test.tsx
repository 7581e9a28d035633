import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../../test/draw.js";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { hostile } from "../../../test/odd-texts.js";
import { reducePage, TextPage } from "./text-page.js";

const lines = [
  "client     0f9c",
  "server     http://127.0.0.1:8001/mcp",
  "  session  a-session-with-a-name-that-is-longer-than-a-narrow-screen-is-wide",
  "",
  "It is also in the clipboard, if your terminal allows it.",
];

function open(size = usual, title = "Session", shown: readonly string[] = lines) {
  return drawPart(<TextPage title={title} lines={shown} {...size} rows={size.rows - 4} onBack={() => {}} />, size);
}

describe("keys on a page of text", () => {
  it.each([
    ["down", 3],
    ["up", 1],
    ["home", 0],
    ["end", 5],
    ["pageDown", 5],
    ["pageUp", 0],
    ["left", 2],
  ] as const)("scroll by %s from line 2 of the 5 that come to the top to %i", (name, top) => {
    expect(reducePage(2, named(name), 5)).toEqual({ state: top });
  });

  it("leave it, and a paste does nothing", () => {
    for (const press of [named("escape"), named("enter"), typed("q")])
      expect(reducePage(2, press, 5)).toEqual({ state: 2, outcome: "back" });
    expect(reducePage(2, pasted("q"), 5)).toEqual({ state: 2 });
  });
});

describe("a page of text", () => {
  it("shows its lines as they are where they fit", () => {
    expect(open(usual).frame().lines).toEqual(["Session", ...lines]);
    expect(open(large).frame().lines).toEqual(["Session", ...lines]);
  });

  it("breaks them between words, as far in as they began, and says where in them one is", async () => {
    const page = open(least);
    expect(page.frame()).toMatchInlineSnapshot(`
      40×10
      │Session  1-5 of 7
      │client     0f9c
      │server     http://127.0.0.1:8001/mcp
      │  session  a-session-with-a-name-that-is
      │  -longer-than-a-narrow-screen-is-wide
      │
    `);
    page.press("\u001b[F");
    expect(await page.until("3-7 of 7")).toMatchInlineSnapshot(`
      40×10
      │Session  3-7 of 7
      │  session  a-session-with-a-name-that-is
      │  -longer-than-a-narrow-screen-is-wide
      │
      │It is also in the clipboard, if your
      │terminal allows it.
    `);
  });

  it("draws nothing that could repaint the terminal, in its title neither", () => {
    expect(open(least, hostile, [hostile]).frame().lines).toEqual(["evil next line", "evil  next  line"]);
  });
});
