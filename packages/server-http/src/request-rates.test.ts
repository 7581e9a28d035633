import { expect, test } from "vitest";
import { httpLimits } from "./http-limits.js";
import { createRateLimit, createRequestRates } from "./request-rates.js";

/** One request at once, the next after 100 ms. */
const rates = () => createRequestRates({ ...httpLimits, requestsPerSecond: 10, requestBurst: 1 }, () => 0);

test("callers without a token are counted by their address, those of one IPv6 network together (G11)", () => {
  const { refused } = rates();
  expect(["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"].map(refused)).toEqual([0, 100, 100, 0]);
  expect(["2001:db8::1", "2001:db8:0:0:ffff::1", "2001:db8:0:1::1", undefined].map(refused)).toEqual([0, 100, 0, 0]);
});

test("where no token is wanted, callers on the same machine are not counted (G11)", () => {
  const { unknown } = rates();
  const local = ["127.0.0.1", "::1", "::ffff:127.0.0.1", undefined];
  expect([...local, ...local].map(unknown)).toEqual(Array(8).fill(0));
  expect(["192.0.2.1", "192.0.2.1"].map(unknown)).toEqual([0, 100]);
});

test("tokens that are not valid are counted apart, and a look counts nothing (G11)", () => {
  const limits = { ...httpLimits, failuresPerSecond: 5, failureBurst: 2 };
  const { failed, mayTry, refused } = createRequestRates(limits, () => 0);
  const tried = () => [mayTry("192.0.2.1"), mayTry("192.0.2.2")];
  expect([tried(), failed("192.0.2.1"), tried(), failed("192.0.2.1"), tried()]).toEqual([
    [0, 0],
    0,
    [0, 0],
    0,
    [200, 0],
  ]);
  expect([failed("192.0.2.1"), refused("192.0.2.1")]).toEqual([200, 0]);
});

test("addresses do not push subjects out of their table (G11)", () => {
  const limits = { ...httpLimits, requestsPerSecond: 10, requestBurst: 1, maxCallers: 1 };
  const { known, refused } = createRequestRates(limits, () => 0);
  expect([known("ada"), refused("192.0.2.1"), known("ada")]).toEqual([0, 0, 100]);
});

test("a caller may burst, and then has to keep to the rate; others are not held up", () => {
  let nowMs = 0;
  const { count: tooEarlyMs, waitMs } = createRateLimit(
    { requestsPerSecond: 10, requestBurst: 2, maxCallers: 10 },
    () => nowMs,
  );
  expect([tooEarlyMs("a"), tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 0, 100]);
  expect(tooEarlyMs("b")).toBe(0);
  expect([waitMs("a"), waitMs("b"), waitMs("b"), waitMs("c")]).toEqual([100, 0, 0, 0]);
  nowMs = 100;
  expect([tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 100]);
});

test("G11 no more callers are remembered than the limit", () => {
  const { count: tooEarlyMs } = createRateLimit({ requestsPerSecond: 1, requestBurst: 1, maxCallers: 1 }, () => 0);
  expect([tooEarlyMs("a"), tooEarlyMs("b"), tooEarlyMs("a")]).toEqual([0, 0, 0]);
});
