import { expect, test } from "vitest";
import { jsonMemory, recordMemory } from "./json-memory.js";

test("what a value takes in memory is counted by its values, not by its text", () => {
  const objects = Array.from({ length: 1_000 }, () => ({}));
  expect(jsonMemory(objects)).toBe(48 + 1_000 * (8 + 64));
  expect(jsonMemory("x".repeat(1_000))).toBe(1_024);
  expect(jsonMemory({ key: 1 })).toBe(64 + 72 + 3 + 16);
  expect(jsonMemory({ a: [true, null] })).toBe(64 + 72 + 1 + 48 + 16);
});

test("a value that nests deeply is counted, too", () => {
  let deep: readonly [] | readonly [unknown] = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(jsonMemory(JSON.parse("[]"))).toBe(48);
  expect(recordMemory({ deep })).toBeGreaterThan(100_000 * 56);
});

test("the parts of a record are counted once, and again where they are others", () => {
  const input = { value: "x".repeat(100) };
  const first = recordMemory({ id: "task", input, state: null });
  expect(first).toBe(64 + 72 + 28 + 72 + jsonMemory(input) + 72);
  expect(recordMemory({ id: "task", input, state: { more: "y".repeat(200) } })).toBeGreaterThan(first + 200);
});
