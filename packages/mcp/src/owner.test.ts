import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isStrongClientId } from "./client-id.js";
import { resolveOwner } from "./owner.js";

const strong = "0123456789abcdef0123456789abcdef";

test("G10 an authenticated subject always wins, and no label can pose as one", () => {
  const facts = { clientId: strong, sessionId: "s", local: true };
  expect(resolveOwner({ ...facts, subject: "alice" })).toBe("sub:alice");
  expect(resolveOwner({ clientId: "sub:alice", sessionId: "s", local: false })).toBe("client:s/sub:alice");
});

test("a random client_id is an owner of its own, a guessable one only a label inside the session", () => {
  expect(resolveOwner({ clientId: strong, sessionId: "s", local: false })).toBe(`client:${strong}`);
  expect(resolveOwner({ clientId: "laptop", sessionId: "s", local: false })).toBe("client:s/laptop");
  expect(resolveOwner({ clientId: "laptop", local: true })).toBe("client:local/laptop");
});

test("without a client_id the session is the owner, and on stdio the one user", () => {
  expect(resolveOwner({ sessionId: "s", local: false })).toBe("session:s");
  expect(resolveOwner({ local: true })).toBe("local:local");
});

test("a call without any of them is an error that says what to do", () => {
  const refused = expect.objectContaining({ code: "NO_OWNER", message: expect.stringContaining("client_id") });
  expect(() => resolveOwner({ local: false })).toThrow(refused);
  expect(() => resolveOwner({ clientId: "laptop", local: false })).toThrow(refused);
});

test("ids of 128 random bits are strong, however they are written", () => {
  for (let round = 0; round < 200; round++) {
    expect(isStrongClientId(randomUUID())).toBe(true);
    expect(isStrongClientId(randomBytes(16).toString("hex"))).toBe(true);
    expect(isStrongClientId(randomBytes(16).toString("base64url"))).toBe(true);
  }
});

test("names, short ids and repetitions are not strong", () => {
  for (const id of ["alice", "my-laptop", "a-rather-long-name-of-a-client-program", "a".repeat(64), "1234567890", ""]) {
    expect(isStrongClientId(id)).toBe(false);
  }
  expect(isStrongClientId(`${strong}/x`)).toBe(false);
});
