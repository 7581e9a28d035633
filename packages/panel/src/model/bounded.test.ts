import { describe, expect, it } from "vitest";
import { bodyText, lineText, maxLineCharacters, maxTextCharacters, valueLine } from "./bounded.js";

const hostile = "\u001b[31mred\u001b[0m\u0000 \u202eevil\u202c <img src=x onerror=alert(1)>\r\nnext";
const long = "x".repeat(10_000_000);

describe("a text of a server", () => {
  it("is one harmless line, whose markup is text", () => {
    expect(lineText(hostile)).toBe("red evil <img src=x onerror=alert(1)> next");
  });

  it("keeps its lines where it has room, and loses what turns its direction", () => {
    expect(bodyText(hostile)).toEqual({ text: "red   evil  <img src=x onerror=alert(1)>\nnext", left: 0 });
  });

  it("is cut, and says how much is left out", () => {
    expect(lineText(long)).toHaveLength(maxLineCharacters);
    const { text, left } = bodyText(long);
    expect([text.length, left]).toEqual([maxTextCharacters, 10_000_000 - maxTextCharacters]);
  });

  it("is cut between characters, and also where nothing but spaces follows", () => {
    expect([bodyText("ab😀", 3).text, lineText(`ab${" ".repeat(5_000)}c`, 10)]).toEqual(["ab", "ab…"]);
  });
});

describe("a value on one line", () => {
  it("is its beginning, however much there is of it", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => index);
    expect([valueLine(many, 20), valueLine({ a: { b: [1, "two", null] } })]).toEqual([
      "[0, 1, 2, 3, 4, 5, …",
      '{"a": {"b": [1, "two", null]}}',
    ]);
    expect(valueLine({ long }, 30)).toBe(`{"long": "${"x".repeat(19)}…`);
  });

  it("is not followed into depths without end", () => {
    let deep: { readonly a: unknown } = { a: 1 };
    for (let level = 0; level < 5_000; level += 1) deep = { a: deep };
    expect(valueLine(deep as never)).toContain("…");
  });
});
