import { expect, test } from "vitest";
import { isTooDeep, mayBeTooDeep } from "./json-rpc.js";

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);

test("a message nests as deep as the limit, and no deeper (G11)", () => {
  expect([null, 7, "text", {}, nested(256), { a: nested(255) }].map(isTooDeep)).toEqual(Array(6).fill(false));
  expect([nested(258), nested(100_000), { a: { b: nested(100_000) } }].map(isTooDeep)).toEqual([true, true, true]);
});

test("no text that is taken for too short to nest too deep does (G11)", () => {
  const shortest = (depth: number) => JSON.stringify(nested(depth));
  expect([256, 257, 258].map((depth) => [mayBeTooDeep(shortest(depth)), isTooDeep(nested(depth))])).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});
