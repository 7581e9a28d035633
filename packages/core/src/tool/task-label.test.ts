import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../json.js";
import { defineTool } from "./define-tool.js";
import { makeLabel } from "./task-label.js";

const facts = { name: "x", description: "X.", run: async () => 1 };
const anything = z.record(z.string(), z.unknown());

const byArguments = (input: Json, schema: Parameters<typeof defineTool>[0]["input"] = anything as never) =>
  makeLabel(defineTool({ ...facts, input: schema }), input, input);

const bySaying = (label: (input: { readonly path?: unknown }) => string) =>
  makeLabel(defineTool({ ...facts, input: anything, label }), { path: "a.txt", other: "b" }, {});

describe("the label of a task", () => {
  it.each([
    [{ url: "https://a.example/page" }, "https://a.example/page"],
    [{ n: 3, city: "Oslo", note: "short", third: "left out" }, "Oslo, short"],
    [{ text: "x".repeat(81), path: "a.txt" }, "a.txt"],
    [{ path: "  a\n\tb \u202e\u0007 c  " }, "a b c"],
    [{ left: "x".repeat(60), right: "y".repeat(60) }, `${"x".repeat(60)}, ${"y".repeat(17)}…`],
    [{ emoji: "😀".repeat(30), more: "😀".repeat(40) }, `${"😀".repeat(30)}, ${"😀".repeat(40)}`],
    [{ n: 3, nested: { path: "a" }, list: ["a"] }, undefined],
    [{ empty: "", blank: " \u200b " }, undefined],
    ["a text", undefined],
    [{}, undefined],
  ])("of %j is %j", (input, label) => {
    expect(byArguments(input)).toBe(label);
  });

  it.each([
    ..."password passphrase user_pass apiKey api_key api-key access_key secret client_secret token authToken Authorization"
      .split(" ")
      .map((name) => [name, "value"]),
    ..."credential cookie session_id signature privateKey user_pin otp cardNumber client_id key apikey encryption_key jwt"
      .split(" ")
      .map((name) => [name, "value"]),
    ["note", "sk-live-0123456789abcdef"],
    ["note", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
    ["note", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"],
    ["note", "4111 1111 1111 1111"],
    ["note", "Bearer abcdef123456"],
    ["note", "dGhpcyBpcyBhIHNlY3JldA1-_x"],
    ["note", "Server=db;User=sa;Password=hunter2"],
    ["note", "token=abc"],
    ["note", "admin:hunter2@db.internal"],
    ["note", "curl -H 'Authorization: Bearer abc123'"],
    ["note", "send it with Bearer abc123"],
  ])("leaves out %s: %s", (name, value) => {
    expect(byArguments({ [name]: value, path: "a.txt" })).toBe("a.txt");
  });

  it("keeps what only sounds like a secret", () => {
    expect(byArguments({ passenger: "Ada", author: "Bo" })).toBe("Ada, Bo");
    expect(byArguments({ monkey: "Cleo", spinner: "on" })).toBe("Cleo, on");
    const texts = { sport: "skiing holidays", course: "Basic training course" };
    expect(byArguments(texts)).toBe("skiing holidays, Basic training course");
    expect(byArguments({ file: "book-chapter-12-the-introduction.txt" })).toBe("book-chapter-12-the-introduction.txt");
    expect([byArguments({ keyword: "cat" }), byArguments({ path: "/home/a/some-long-folder/file-2.txt" })]).toEqual([
      "cat",
      "/home/a/some-long-folder/file-2.txt",
    ]);
  });

  it("leaves out what the schema marks as secret", () => {
    const schema = {
      type: "object",
      properties: { word: { type: "string", format: "password" }, door: { type: "string", writeOnly: true } },
    };
    expect(byArguments({ word: "open", door: "sesame", city: "Oslo" }, schema as never)).toBe("Oslo");
  });

  it("of an address has no user, no question and no fragment", () => {
    expect(byArguments({ url: "https://ada:word@a.example/p?sig=abc#here" })).toBe("https://a.example/p");
    expect(byArguments({ note: "see https://ada:word@a.example/p?token=abc today" })).toBe(
      "see https://a.example/p today",
    );
  });

  it("is what the tool says, in one short line without control characters", () => {
    expect(bySaying(({ path }) => `reads ${path}`)).toBe("reads a.txt");
    expect(bySaying(() => "a\u0000\u001b[31m\u202eb\n\nc")).toBe("a [31m b c");
    expect(bySaying(() => "x".repeat(100_000))).toBe(`${"x".repeat(79)}…`);
    expect(bySaying(() => "")).toBe(undefined);
  });

  it("is none where the tool's function throws or gives no text, and no argument in its place", () => {
    const nonsense = [undefined, null, 3, {}, ["a"], Symbol("a"), Promise.reject(new Error("late"))];
    for (const value of nonsense) expect(bySaying(() => value as never)).toBe(undefined);
    expect(
      bySaying(() => {
        throw new Error("no");
      }),
    ).toBe(undefined);
  });
});
