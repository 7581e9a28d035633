import { expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.js";

test("a caller may burst, and then has to keep to the rate; others are not held up", () => {
  let nowMs = 0;
  const tooEarlyMs = createRateLimit({ requestsPerSecond: 10, requestBurst: 2, maxCallers: 10 }, () => nowMs);
  expect([tooEarlyMs("a"), tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 0, 100]);
  expect(tooEarlyMs("b")).toBe(0);
  nowMs = 100;
  expect([tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 100]);
});

test("G11 no more callers are remembered than the limit", () => {
  const tooEarlyMs = createRateLimit({ requestsPerSecond: 1, requestBurst: 1, maxCallers: 1 }, () => 0);
  expect([tooEarlyMs("a"), tooEarlyMs("b"), tooEarlyMs("a")]).toEqual([0, 0, 0]);
});
