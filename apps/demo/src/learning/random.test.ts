import { expect, test } from "vitest";
import { createRandom, shuffle } from "./random.js";

const take = (random: { next(): number }, count: number) => Array.from({ length: count }, () => random.next());

test("continues from a stored state as if it had never stopped", () => {
  const straight = take(createRandom(7), 10);
  const first = createRandom(7);
  const begun = take(first, 4);
  expect([...begun, ...take(createRandom(first.state), 6)]).toEqual(straight);
});

test("gives other numbers for another seed, all at least 0 and less than 1", () => {
  expect(take(createRandom(1), 3)).not.toEqual(take(createRandom(2), 3));
  expect(take(createRandom(1), 1_000).every((value) => value >= 0 && value < 1)).toBe(true);
});

test("shuffles without losing a value, in an order that the seed decides", () => {
  const values = Array.from({ length: 50 }, (_, index) => index);
  const shuffled = shuffle(values, createRandom(3));
  expect(shuffled).not.toEqual(values);
  expect(shuffled.toSorted((one, other) => one - other)).toEqual(values);
  expect(shuffle(values, createRandom(3))).toEqual(shuffled);
});
