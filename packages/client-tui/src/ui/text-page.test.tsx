import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../test/draw.js";
import { hostile } from "../../test/odd-texts.js";
import { keys } from "../../test/open-screens.js";
import { TextPage } from "./text-page.js";

const lines = [
  "client     0f9c",
  "server     http://127.0.0.1:8001/mcp",
  "  session  a-session-with-a-name-that-is-longer-than-a-narrow-screen-is-wide",
  "",
  "It is in the clipboard too, if your terminal allows that.",
];

function open(size = usual, title = "Session", shown: readonly string[] = lines) {
  let leave: (how: string) => void = () => {};
  const left = new Promise<string>((resolve) => {
    leave = resolve;
  });
  const page = (at: typeof size) => (
    <TextPage title={title} lines={shown} {...at} rows={at.rows - 4} onBack={() => leave("left")} />
  );
  const drawn = drawPart(page(size), size);
  return { ...drawn, left };
}

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
      │It is in the clipboard too, if your
      │terminal allows that.
    `);
  });

  it("draws nothing that could repaint the terminal, in its title neither", () => {
    expect(open(least, hostile, [hostile]).frame().lines).toEqual(["evil next line", "evil  next  line"]);
  });

  it.each([keys.escape, keys.enter, "q"])("is left by %j", async (key) => {
    const page = open();
    page.press(key);
    expect(await page.left).toBe("left");
  });
});
