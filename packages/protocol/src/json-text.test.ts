import { expect, test } from "vitest";
import { problemOfJson, tooDeep } from "./json-text.js";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const many = (limit: number) => `has more than maxJsonValues = ${limit} values and keys`;

test("a message nests as deep as the limit, and no deeper (G11)", () => {
  const fitting = [
    "null",
    "7",
    '"text"',
    "{}",
    nested(256),
    nested(257),
    `{ "a": ${nested(255)} }`,
    `"${nested(300)}"`,
  ];
  expect(fitting.map((text) => problemOfJson(text))).toEqual(Array(fitting.length).fill(undefined));
  const deep = [nested(258), nested(100_000), `{"a":{"b":${nested(100_000)}}}`, `${'{"[]\\"":'.repeat(258)}0`];
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
