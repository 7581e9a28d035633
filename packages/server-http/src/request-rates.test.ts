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

test("tokens count before they are checked, apart from requests, and valid ones are given back (G11)", () => {
  const limits = { ...httpLimits, failuresPerSecond: 5, failureBurst: 2 };
  const { tried, refused } = createRequestRates(limits, () => 0);
  const attempts = ["a", "b", "c"].map((token) => tried("192.0.2.1", token));
  expect([...attempts, tried("192.0.2.2", "c")].map(({ waitMs }) => waitMs)).toEqual([0, 0, 200, 0]);
  attempts[0]?.end("valid");
  expect(["d", "e"].map((token) => tried("192.0.2.1", token).waitMs)).toEqual([0, 200]);
  expect(refused("192.0.2.1")).toBe(0);
});

test("tokens whose check fails count as failures of their address, but for those that were valid a moment ago (G11)", () => {
  const limits = { ...httpLimits, failuresPerSecond: 5, failureBurst: 2 };
  const { tried } = createRequestRates(limits, () => 0);
  tried("192.0.2.1", "mine").end("valid");
  const waits = ["a", "mine", "mine", "b", "c"].map((token) => {
    const attempt = tried("192.0.2.1", token);
    attempt.end("unchecked");
    return attempt.waitMs;
  });
  expect([...waits, tried("192.0.2.2", "c").waitMs]).toEqual([0, 0, 0, 0, 200, 0]);
});

test("a token that was valid a moment ago is not counted, until it is not valid any more (G11)", () => {
  const clock = { nowMs: 0 };
  const limits = { ...httpLimits, failuresPerSecond: 0.001, failureBurst: 1, validTokenMs: 10 };
  const { tried } = createRequestRates(limits, () => clock.nowMs);
  const wait = (token: string) => tried("192.0.2.1", token).waitMs > 0;
  tried("192.0.2.1", "mine").end("valid");
  expect([wait("guess"), wait("guess"), wait("mine"), wait("mine")]).toEqual([false, true, false, false]);
  clock.nowMs = 10;
  expect(wait("mine")).toBe(true);
  clock.nowMs = 2_000_000;
  const attempt = tried("192.0.2.1", "mine");
  attempt.end("valid");
  tried("192.0.2.1", "mine").end("invalid");
  expect(wait("mine")).toBe(true);
});

test("addresses do not push subjects out of their table (G11)", () => {
  const limits = { ...httpLimits, requestsPerSecond: 10, requestBurst: 1, maxCallers: 1 };
  const { known, refused } = createRequestRates(limits, () => 0);
  expect([known("ada"), refused("192.0.2.1"), known("ada")]).toEqual([0, 0, 100]);
});

test("a caller may burst, and then has to keep to the rate; others are not held up", () => {
  let nowMs = 0;
  const { count: tooEarlyMs, add } = createRateLimit(
    { requestsPerSecond: 10, requestBurst: 2, maxCallers: 10 },
    () => nowMs,
  );
  expect([tooEarlyMs("a"), tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 0, 100]);
  expect(tooEarlyMs("b")).toBe(0);
  add("b", 1);
  add("b", 1);
  expect(["b", "b", "b"].map(tooEarlyMs)).toEqual([0, 0, 100]);
  nowMs = 100;
  expect([tooEarlyMs("a"), tooEarlyMs("a")]).toEqual([0, 100]);
});

test("G11 no more callers are remembered than the limit", () => {
  const { count: tooEarlyMs } = createRateLimit({ requestsPerSecond: 1, requestBurst: 1, maxCallers: 1 }, () => 0);
  expect([tooEarlyMs("a"), tooEarlyMs("b"), tooEarlyMs("a")]).toEqual([0, 0, 0]);
});
