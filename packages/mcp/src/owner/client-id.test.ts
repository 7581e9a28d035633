import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isStrongClientId } from "./client-id.js";

const forms: readonly (readonly [string, () => string])[] = [
  ["UUIDs of version 4", randomUUID],
  ["UUIDs in capitals", () => randomUUID().toUpperCase()],
  ["16 bytes as hexadecimal digits", () => randomBytes(16).toString("hex")],
  ["64 bytes as hexadecimal digits", () => randomBytes(64).toString("hex")],
  ["32 bytes as base64url", () => randomBytes(32).toString("base64url")],
];

test.each(forms)("random ids are strong: %s", (_, make) => {
  const ids = Array.from({ length: 5_000 }, make);
  // Fewer than one in a million have too few different characters.
  expect(ids.filter((id) => !isStrongClientId(id)).length).toBeLessThan(2);
});

const guessable: readonly (readonly [string, readonly string[]])[] = [
  [
    "names of machines, users and programs",
    [
      "Johns-MacBook-Pro.local",
      "MyWorkLaptop-JohnSmith1",
      "Szczepan-Wojciechowski-PC",
      "WKS0012345-BER-HQ-Floor3",
      "VM-AZ-WEU-PRD-SQL-0012a",
      "DESKTOP-7K2M9QX-Alicexx",
      "C02XK0AAJGH5-MacBookPro",
      "Zhang-Xiaoming-ThinkPad-X1",
      "ip-10-0-12-34.us-west-2.compute.internal",
      "a-rather-long-name-of-a-client-program-that-has-no-capitals",
      "alice",
    ],
  ],
  [
    "few different characters, and digits alone",
    [
      "11111111-2222-4333-8444-555555555555",
      "00000000-0000-4000-8000-000000000001",
      "deadbeefdeadbeefdeadbeefdeadbeef",
      "aB".repeat(32),
      "12345678901234567890123456789012",
    ],
  ],
  [
    "short ids, and UUIDs that hold a time",
    [
      "",
      randomUUID().slice(0, 16),
      randomBytes(15).toString("hex"),
      randomBytes(16).toString("base64url"),
      randomBytes(31).toString("base64url"),
      "6fa459ea-ee8a-11e4-b571-0800200c9a66",
      "01890a5d-ac96-774b-bcce-b302099a8057",
    ],
  ],
  ["ids with other characters, and longer ones", [`${randomUUID()}/x`, randomBytes(129).toString("hex")]],
];

test.each(guessable)("guessable ids are not strong: %s (G10)", (_, ids) => {
  expect(ids.filter(isStrongClientId)).toEqual([]);
});
