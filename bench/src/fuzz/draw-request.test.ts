import { expect, test } from "vitest";
import { type DrawnRequest, drawRequest, type FuzzWorld } from "./draw-request.js";
import { createCaller } from "./traffic/pools.js";

function drawAll(seed: number, keeps?: (place: number) => boolean) {
  const callers = [createCaller(0, "a"), createCaller(1, "b"), createCaller(2, "c")] as const;
  const world: FuzzWorld = { seed, port: 1, callers: [...callers], last: [] };
  return Array.from({ length: 500 }, (_, index) => drawRequest(world, index, keeps));
}

test("the same seed draws the same requests, byte by byte, and another one draws others", () => {
  const bytes = (seed: number) => drawAll(seed).map((request) => request.bytes.toString("latin1"));
  expect(bytes(1)).toEqual(bytes(1));
  const [first, second] = [bytes(1), bytes(2)];
  expect(first.filter((text, at) => text === second[at])).toEqual([]);
});

test("a message without its mutations is right, and keeps the choices that are none", () => {
  const right = drawAll(3, () => false);
  expect(right.every(({ exact, mutations }) => exact && mutations.length === 0)).toBe(true);
  for (const { body } of right) expect(() => body === "" || JSON.parse(body)).not.toThrow();
  const mutated = drawAll(3);
  const unmutated = mutated.filter(({ mutations }) => mutations.length === 0);
  expect(unmutated.length).toBeGreaterThan(0);
  const textOf = (request: DrawnRequest | undefined) => request?.bytes.toString("latin1");
  expect(unmutated.map(textOf)).toEqual(unmutated.map(({ index }) => textOf(right[index])));
  const levels = new Set(mutated.flatMap(({ mutations }) => mutations));
  expect([...levels].sort()).toEqual(["bytes", "delivery", "head", "json", "protocol"]);
});
