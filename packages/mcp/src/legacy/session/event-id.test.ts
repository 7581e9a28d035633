import { expect, test } from "vitest";
import { formatEventId, onceStream, parseEventId, parseOnceStream } from "./event-id.js";

test("an event id is parsed as it was made", () => {
  expect(parseEventId(formatEventId("AbC_9-x", 17))).toEqual({ stream: "AbC_9-x", place: 17 });
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
    "a.99999999999999999",
    `${"a".repeat(2000)}.1`,
  ]) {
    expect(parseEventId(text)).toBeUndefined();
  }
});

test("the stream of a call that runs once carries what is needed to answer for it", () => {
  const facts = { requestId: 7, method: "tools/call", tool: "send/mail" };
  const stream = onceStream("n0nce", facts) ?? "";
  expect(parseEventId(formatEventId(stream, 0))).toEqual({ stream, place: 0 });
  expect(parseOnceStream(stream)).toEqual(facts);
  expect(
    parseOnceStream(onceStream("n0nce", { requestId: "x", method: "prompts/get", tool: undefined }) ?? ""),
  ).toEqual({
    requestId: "x",
    method: "prompts/get",
    tool: undefined,
  });
});

test("a request whose facts are too long for a name goes without, and an invented name is none", () => {
  expect(onceStream("n0nce", { requestId: "x".repeat(600), method: "tools/call", tool: "t" })).toBeUndefined();
  for (const name of ["once_a", "once_a_!", "once_a_e30", "once_a_WzFd", "other_a_WzEsInQiXQ"]) {
    expect(parseOnceStream(name)).toBeUndefined();
  }
});
