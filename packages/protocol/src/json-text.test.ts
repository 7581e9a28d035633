import fc from "fast-check";
import { expect, test } from "vitest";
import { problemOfJson, tooDeep } from "./json-text.js";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const many = (limit: number) => `has more than maxJsonValues = ${limit} values and keys`;

test("a message nests as deep as the limit, and no deeper (G11)", () => {
  const fitting = ["null", "7", '"text"', "{}", nested(64), nested(65), `{ "a": ${nested(63)} }`, `"${nested(300)}"`];
  expect(fitting.map((text) => problemOfJson(text))).toEqual(Array(fitting.length).fill(undefined));
  const deep = [nested(66), nested(100_000), `{"a":{"b":${nested(100_000)}}}`, `${'{"[]\\"":'.repeat(66)}0`];
  expect(deep.map((text) => problemOfJson(text))).toEqual(Array(deep.length).fill(tooDeep));
});

test.each([
  ["null", 1],
  [" [ ] ", 1],
  ["[[],{}]", 3],
  ['{"a":1,"b":[true,"c"]}', 7],
  ["[-1.5e+3 ,\n2,\t3]", 4],
  ['["a,b","[{:","\\"","\\\\",""]', 6],
  ['{"\\\\\\"":{"":[{}]}}', 6],
])("%s has %i values and keys, counted without parsing it (G11)", (text, count) => {
  JSON.parse(text);
  expect([problemOfJson(text, count), problemOfJson(text, count - 1)]).toEqual([undefined, many(count - 1)]);
});

test.each(["", "[", '"', '"\\', "]]]", "{{{", '["a', "nul", "\\"])(
  "a text that is not JSON is read to its end: %j",
  (text) => {
    expect(problemOfJson(text, 1_000)).toBe(undefined);
  },
);

/** Values and keys of a parsed message, and how deep it nests. */
function sizeOf(value: unknown): { readonly values: number; readonly depth: number } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
  const parts = Object.values(value).map(sizeOf);
  const keys = Array.isArray(value) ? 0 : parts.length;
  return {
    values: parts.reduce((sum, part) => sum + part.values, 1 + keys),
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
  };
}

const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
const indent = fc.constantFrom(undefined, 2, "\t", " \n");

test("a text is counted as JSON.parse reads it, whatever is in its strings and between its values (G11)", () => {
  fc.assert(
    fc.property(anyJson, indent, fc.nat({ max: 72 }), (value, space, more) => {
      const inner = JSON.stringify(value, null, space);
      const text = `${"[".repeat(more)}${inner}${"]".repeat(more)}`;
      const { values, depth } = sizeOf(JSON.parse(text));
      const counted = depth > 65 ? tooDeep : undefined;
      expect(problemOfJson(text)).toBe(counted);
      if (counted === undefined) expect(problemOfJson(text, values)).toBe(undefined);
      if (counted === undefined) expect(problemOfJson(text, values - 1)).toBe(many(values - 1));
    }),
  );
});

test("any text is read to its end, and what JSON.parse takes is never counted too low (G11)", () => {
  const pieces = fc.constantFrom("[", "]", "{", "}", '"', "\\", ":", ",", " ", "\n", "1", "null", "a", "\u2028");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (texts) => {
      const text = texts.join("");
      const values = problemOfJson(text, 0) === undefined ? 0 : 1;
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        return;
      }
      expect(values).toBe(1);
      // Of two equal keys JSON.parse keeps one; both were in the text.
      expect(problemOfJson(text, sizeOf(parsed).values - 1)).not.toBe(undefined);
    }),
    { numRuns: 2_000 },
  );
});
