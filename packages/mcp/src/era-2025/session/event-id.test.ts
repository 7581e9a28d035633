import fc from "fast-check";
import { expect, test } from "vitest";
import { formatEventId, nameStream, parseEventId, parseStreamName, type StreamFacts } from "./event-id.js";

test("an event id is parsed as it was made", () => {
  for (const progress of [undefined, 0, 3, -0.25, 1e-7, Number.MAX_VALUE]) {
    const cursor = { stream: "AbC_9-x", place: 17, progress };
    expect(parseEventId(formatEventId(cursor))).toEqual(cursor);
  }
  expect(parseEventId("a.0~-0")).toEqual({ stream: "a", place: 0, progress: 0 });
});

test("nothing else is an event id", () => {
  for (const text of [
    "",
    ".",
    "a.",
    ".1",
    "a.01",
    "a.-1",
    "a.1.2",
    "a b.1",
    "a.1e3",
    "a.1~",
    "a.1~x",
    "a.1~1e999",
    "a.1~1-2",
    "a.99999999999999999",
    `${"a".repeat(5000)}.1`,
  ]) {
    expect(parseEventId(text)).toBeUndefined();
  }
});

const session = "0123456789abcdef0123456789abcdef";

test("the name of a stream carries what is needed to answer for its request", () => {
  for (const facts of [
    { kind: "once", acceptedMs: 1, requestId: 7, method: "tools/call", tool: "send/mail" },
    { kind: "once", acceptedMs: 1, requestId: "x", method: "prompts/get" },
    {
      kind: "again",
      acceptedMs: 1,
      requestId: 0,
      method: "tools/call",
      tool: "t",
      params: { name: "t", arguments: { a: [null] } },
    },
    { kind: "journal", acceptedMs: 1, requestId: 1, method: "tools/call", tool: "t", taskId: "a", clientId: "c" },
  ] satisfies StreamFacts[]) {
    const stream = nameStream(session, "n0nce", facts) ?? "";
    expect(parseEventId(formatEventId({ stream, place: 0 }))).toEqual({ stream, place: 0 });
    expect(parseStreamName(session, stream)).toEqual(facts);
  }
});

test("such a name is worth nothing in another session, or when a part of it was changed (G10)", () => {
  const stream =
    nameStream(session, "n0nce", { kind: "once", acceptedMs: 1, requestId: 7, method: "tools/call", tool: "mail" }) ??
    "";
  expect(parseStreamName(session.replace("0", "1"), stream)).toBeUndefined();
  expect(parseStreamName(session, stream.replace("n0nce", "m0nce"))).toBeUndefined();
  expect(parseStreamName(session, `${stream}.mail`)).toBeUndefined();
  const other =
    nameStream(session, "n0nce", { kind: "once", acceptedMs: 1, requestId: 8, method: "tools/call", tool: "mail" }) ??
    "";
  expect(
    parseStreamName(session, [...stream.split("_").slice(0, 3), ...other.split("_").slice(3)].join("_")),
  ).toBeUndefined();
});

test("a request whose facts are too long for a name goes without, and an invented name is none", () => {
  const facts = { kind: "once", acceptedMs: 1, requestId: "x".repeat(4_000), method: "tools/call", tool: "t" } as const;
  expect(nameStream(session, "n0nce", facts)).toBeUndefined();
  for (const name of ["once_a", "once_a_!", "once_a_e30", "once_a_0a_WzFd", "other_a_0a_WzEsInQiXQ"]) {
    expect(parseStreamName(session, name)).toBeUndefined();
  }
});

const stream = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const place = fc.nat({ max: 999_999_999 });

test("every place of every stream is found again by its id, and what is parsed means the same once written", () => {
  const progress = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: undefined });
  fc.assert(
    fc.property(stream, place, progress, (name, at, shown) => {
      // JSON, by which progress comes, knows no negative zero.
      const cursor = { stream: name, place: at, progress: shown === 0 ? 0 : shown };
      expect(parseEventId(formatEventId(cursor))).toEqual(cursor);
    }),
  );
  const piece = fc.constantFrom("a", "_", "-", ".", "~", "0", "1", "9", "e5", "e-3", "+", " ", "\n", "\u2028", "é");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const parsed = parseEventId(pieces.join(""));
      if (parsed === undefined || !Number.isFinite(parsed.progress ?? 0)) return;
      expect(parseEventId(formatEventId(parsed))).toEqual(parsed);
    }),
    { numRuns: 5_000 },
  );
});

test("what the name of a stream tells comes back as it was, for any request, and for no other session (G10)", () => {
  const requestId = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.integer());
  const name = fc.string({ unit: "binary", maxLength: 40 });
  const nonce = fc.stringMatching(/^[A-Za-z0-9]{1,22}$/);
  fc.assert(
    fc.property(nonce, requestId, name, fc.option(name, { nil: undefined }), (random, id, method, tool) => {
      const facts = { kind: "once" as const, acceptedMs: 1, requestId: id, method, tool };
      const made = nameStream(session, random, facts);
      if (made === undefined) return;
      expect(parseEventId(formatEventId({ stream: made, place: 0 }))?.stream).toBe(made);
      expect(parseStreamName(session, made)).toEqual(facts);
      expect(parseStreamName(session.replace("0", "1"), made)).toBeUndefined();
    }),
  );
});
