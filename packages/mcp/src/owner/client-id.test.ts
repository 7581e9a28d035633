import { createHash, randomBytes, randomUUID } from "node:crypto";
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
  // Fewer than one in 100,000 are taken for a sequence.
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
      "Szczepan-Wojciechowskis-MacBook-Pro-16-inch-2023",
      "WKS0012345-Berlin-Headquarters-Floor3-Workstation",
      "ip-10-0-12-34.us-west-2.compute.internal",
      "a-rather-long-name-of-a-client-program-that-has-no-capitals",
      "alice",
    ],
  ],
  [
    "hashes of nothing and of common words",
    ["", "test", "admin", "user", "client", "password", "hello", "123456"].flatMap((word) =>
      ["md5", "sha1", "sha256", "sha512"].map((algorithm) => createHash(algorithm).update(word).digest("hex")),
    ),
  ],
  [
    "the same as base64url, and examples of documents",
    [
      createHash("sha256").update("").digest("base64url"),
      createHash("sha512").update("test").digest("base64url"),
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      "550e8400-e29b-41d4-a716-446655440000",
      "F47AC10B-58CC-4372-A567-0E02B2C3D479",
      "3fa85f64-5717-4562-b3fc-2c963f66afa6",
      "Your-Client-Id-Goes-Here-Replace-Me-Please-0123",
    ],
  ],
  [
    "sequences, runs and repetitions",
    [
      "0123456789abcdef0123456789abcdef",
      "fedcba9876543210fedcba9876543210",
      "00112233445566778899aabbccddeeff",
      "12345678-1234-4234-8234-123456789abc",
      "11111111-2222-4333-8444-555555555555",
      "00000000-0000-4000-8000-000000000001",
      "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6",
      "deadbeef01234567deadbeef01234567",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "QWERTYUIOPASDFGHJKLZXCVBNMqwertyuiopasdfghjklzxcvbnm",
      "a".repeat(64),
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
