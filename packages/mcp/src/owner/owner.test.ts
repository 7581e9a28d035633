import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { local, ownerOfSubject, ownerOfToken, resolveOwner, type VerifiedToken, whenEnded } from "./owner.js";

const strong = "7af4874c9b611c59bbccadd95cf066f2";
const remote = { local: false, reason: "it has the header via, so a proxy sent it" } as const;

test("G10.2 an authenticated subject always wins, and no label can pose as one", () => {
  const facts = { clientId: strong, sessionId: "s", locality: local };
  expect(resolveOwner({ ...facts, authenticated: ownerOfSubject("alice") })).toBe("sub:alice");
  expect(resolveOwner({ clientId: "sub:alice", sessionId: "s", locality: remote })).toBe("client:s/sub:alice");
});

test("G10 users and programs of all issuers are owners of their own, whatever their ids", () => {
  const issuers = ["https://idp.example", "https://idp.example x", undefined];
  const ids = ["alice", "x alice", "x%20alice", "https://idp.example alice"];
  const tokens: VerifiedToken[] = issuers.flatMap((iss) =>
    ids.flatMap((id) => [
      { clientId: "app", extra: { iss, sub: id } },
      { clientId: id, extra: { iss } },
    ]),
  );
  const owners = tokens.map((token) => ownerOfToken(token));
  expect(new Set(owners).size).toBe(tokens.length);
  expect(owners.slice(0, 2)).toEqual(["sub:https://idp.example alice", "app:https://idp.example alice"]);
});

test("a token whose subject is its client, or that names no user, belongs to the program (RFC 9068, section 5)", () => {
  const of = (extra: Record<string, unknown> | undefined) => ownerOfToken({ clientId: "robot", extra });
  const program = [undefined, {}, { sub: "robot" }, { username: null, email: "" }, { sub: "robot", username: "robot" }];
  expect(program.map(of)).toEqual(program.map(() => "app:robot"));
  expect([of({ sub: "ada" }), ownerOfToken(undefined), ownerOfSubject(undefined)]).toEqual([
    "sub:ada",
    undefined,
    undefined,
  ]);
});

test("G10 users whom a token names by username alone are owners of their own, apart from subjects and programs", () => {
  const iss = "https://idp.example";
  const of = (extra: Record<string, unknown>) => ownerOfToken({ clientId: "web", extra: { iss, ...extra } });
  expect([of({ username: "u1" }), of({ username: "u2" }), of({ username: "web" })]).toEqual([
    "user:https://idp.example u1",
    "user:https://idp.example u2",
    "user:https://idp.example web",
  ]);
  expect(of({ sub: "web", username: "u1" })).toBe("user:https://idp.example u1");
  expect([of({ sub: "u1", username: "u2" }), of({})]).toEqual([
    "sub:https://idp.example u1",
    "app:https://idp.example web",
  ]);
});

test.each<[string, Record<string, unknown>]>([
  ["sub that is a number", { sub: 1001 }],
  ["empty sub", { sub: "" }],
  ["sub that is null and a username", { sub: null, username: "u1" }],
  ["username that is a number", { username: 7 }],
  ["preferred_username alone", { preferred_username: "u1" }],
  ["email, with a sub that is the client", { sub: "web", email: "u1@users.example" }],
  ["upn alone", { upn: "u1" }],
])("G10 a token that does not say which user it is of has no owner: %s", (_, extra) => {
  expect(() => ownerOfToken({ clientId: "web", extra })).toThrow(expect.objectContaining({ code: "NO_OWNER" }));
});

test("a random client_id is an owner of its own, a guessable one only a label inside the session", () => {
  expect(resolveOwner({ clientId: strong, sessionId: "s", locality: remote })).toBe(`client:${strong}`);
  expect(resolveOwner({ clientId: "laptop", sessionId: "s", locality: remote })).toBe("client:s/laptop");
  expect(resolveOwner({ clientId: "laptop", locality: local })).toBe("client:local/laptop");
});

test("any client_id of at least 8 characters identifies the owner of a local request, whatever its session", () => {
  const half = randomUUID().slice(0, 16);
  const owners = ["one", "another", undefined].map((sessionId) =>
    resolveOwner({ clientId: half, sessionId, locality: local }),
  );
  expect(owners).toEqual(Array(3).fill(`client:local/${half}`));
  expect(resolveOwner({ clientId: "8 chars.", sessionId: "s", locality: local })).toBe("client:local/8 chars.");
  expect(resolveOwner({ clientId: "7 chars", sessionId: "s", locality: local })).toBe("client:local/s/7 chars");
});

test("a random client_id of a local request is another owner than that of any other request: its tag says which began a task", () => {
  expect(resolveOwner({ clientId: strong, sessionId: "s", locality: local })).toBe(`client:local/${strong}`);
});

test("G10 no client_id of a request that is not local reaches the tasks of a local one", () => {
  for (const clientId of ["laptop-of-john", "local/laptop-of-john", "local:local"]) {
    expect(resolveOwner({ clientId, sessionId: "s", locality: remote })).toBe(`client:s/${clientId}`);
  }
});

test("without a client_id local requests belong to the one user, and all others to their session", () => {
  expect(resolveOwner({ sessionId: "s", locality: remote })).toBe("session:s");
  expect(resolveOwner({ locality: local })).toBe("local:local");
  expect(resolveOwner({ sessionId: "s", locality: local })).toBe("local:local");
});

test("a call without any of them is refused with what is missing, and why it is not local", () => {
  const reason = "and it is not local (it has the header via, so a proxy sent it).";
  const refused = (message: string) => expect.objectContaining({ code: "NO_OWNER", message });
  const advice =
    'Send "_meta": {"resumable-mcp/client_id": "<random bits>"} (a version 4 UUID, 32 or more hexadecimal digits, or 43 or more base64url characters), or authenticate.';
  const nothing = `The call does not name its owner: it has no token, no session and no client_id, ${reason} ${advice}`;
  expect(() => resolveOwner({ locality: remote })).toThrow(refused(nothing));
  const weak = `The client_id of the call can be guessed, so it identifies no owner: the call has no token and no session, ${reason} ${advice}`;
  expect(() => resolveOwner({ clientId: "Johns-MacBook-Pro.local", locality: remote })).toThrow(refused(weak));
});

test("G11 a client_id that is too long is refused", () => {
  const refused = expect.objectContaining({ code: "NO_OWNER", message: expect.stringContaining("maxClientIdLength") });
  expect(() => resolveOwner({ clientId: "x".repeat(257), locality: local })).toThrow(refused);
  expect(resolveOwner({ clientId: "x".repeat(256), locality: local })).toBe(`client:local/${"x".repeat(256)}`);
});

test("the end of a token is noticed, also of one that lives longer than a timer may", () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const ended: string[] = [];
    const days = (count: number) => count * 24 * 60 * 60_000;
    const token = (id: string) => whenEnded({ clientId: id, expiresAt: days(60) / 1_000 }, () => ended.push(id));
    token("kept");
    const prevent = token("prevented");
    vi.advanceTimersByTime(days(60) - 1);
    prevent();
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect([ended, vi.getTimerCount()]).toEqual([["kept"], 0]);
  } finally {
    vi.useRealTimers();
  }
});
