import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isStrongClientId } from "./owner.js";

test("ids of 128 random bits are strong, however they are written", () => {
  for (let round = 0; round < 200; round++) {
    expect(isStrongClientId(randomUUID())).toBe(true);
    expect(isStrongClientId(randomUUID().toUpperCase())).toBe(true);
    expect(isStrongClientId(randomBytes(16).toString("hex"))).toBe(true);
  }
});

test.each([16, 32])("fewer than 1 in 1,000 of %i random bytes as base64url is taken for words", (bytes) => {
  const ids = Array.from({ length: 20_000 }, () => randomBytes(bytes).toString("base64url"));
  expect(ids.filter((id) => !isStrongClientId(id)).length).toBeLessThan(20);
});

test("names of hosts, users and programs are not strong, however long (G10)", () => {
  const names = [
    "Johns-MacBook-Pro.local",
    "Johns-MacBook-Pro-local",
    "MyWorkLaptop-JohnSmith1",
    "Annas-MacBook-Air-2-home",
    "Windows11-DevBox-Frankfurt",
    "CI-Runner-Build-Agent-01-EU",
    "VisualStudioCode-Insiders-Main",
    "ip-10-0-12-34.us-west-2.compute.internal",
    "john-smith-macbook-pro-2023-office",
    "a-rather-long-name-of-a-client-program",
    "alice",
    "my-laptop",
  ];
  expect(names.filter(isStrongClientId)).toEqual([]);
});

test("short ids, repetitions, numbers and ids that hold a time are not strong (G10)", () => {
  const strong = "0123456789abcdef0123456789abcdef";
  const weak = [
    "",
    "1234567890",
    "a".repeat(64),
    "12345678901234567890123456789012",
    randomUUID().slice(0, 16),
    randomBytes(15).toString("hex"),
    // UUIDs of versions 1 and 7.
    "6fa459ea-ee8a-11e4-b571-0800200c9a66",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    `${strong}/x`,
    `${strong}${strong}`.repeat(5),
  ];
  expect(weak.filter(isStrongClientId)).toEqual([]);
  expect(isStrongClientId(strong)).toBe(true);
});
