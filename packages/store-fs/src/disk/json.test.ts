import { expect, test } from "vitest";
import { copyJson } from "./json.js";

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each<[string, unknown]>([
  ["text, numbers and nothing", ["", 'ä "quoted" \n \ud800', 0, 1.5, -7, 1e21, true, false, null]],
  ["nested lists and objects", { a: [{ b: [[], {}] }], 1: "one", toString: "own", constructor: 1 }],
  ["names without a value", { a: undefined, b: 1 }],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
])("gives a copy of %s that shares nothing with it", (_, value) => {
  const copy = copyJson(value);
  expect(copy).toStrictEqual(parsed(value));
  expect(copy).not.toBe(value);
});

test("shares nothing with what it copies", () => {
  const value = { list: [{ n: 1 }] };
  const copy = copyJson(value);
  for (const each of value.list) each.n = 2;
  value.list.push({ n: 3 });
  expect(copy).toEqual({ list: [{ n: 1 }] });
});

test("has no -0, as JSON has none", () => {
  expect([copyJson(-0), parsed(-0)].map((zero) => Object.is(zero, 0))).toEqual([true, true]);
});

class Odd {
  readonly n = 1;
}

test.each<[string, unknown]>([
  ["no number", { n: Number.NaN }],
  ["a number without end", [Number.POSITIVE_INFINITY]],
  ["a hole", [undefined, 1]],
  ["a function", { run: () => 1 }],
  ["a date", { when: new Date(0) }],
  ["what says itself how it is written", { toJSON: () => 1 }],
  ["a list that says itself how it is written", Object.assign([1], { toJSON: () => 2 })],
  ["an object of a class", { odd: new Odd() }],
  ["a map", new Map()],
  ["a large integer", 1n],
  ["a name that would set the prototype", JSON.parse('{"__proto__":{"a":1}}')],
])("leaves %s to the parser of the text", (_, value) => {
  expect(copyJson(value)).toBeUndefined();
});
