import { expect, test } from "vitest";
import { type Mark, openCursors, sentUpTo, withEvent } from "./stream-order.js";

const maxMarks = 4;
const sent = (...events: readonly string[]): readonly Mark[] =>
  events.reduce<readonly Mark[]>((marks, text) => {
    const [stream = "", place, end] = text.split(".");
    return withEvent(marks, { stream, place: Number(place) }, end === "end", maxMarks);
  }, []);

test("events in a row on one stream are one mark", () => {
  expect(sent("a.0", "a.2", "b.0", "a.3", "a.4.end")).toEqual([
    { stream: "a", from: 0, to: 2 },
    { stream: "b", from: 0, to: 0 },
    { stream: "a", from: 3, to: 4, ended: true },
  ]);
});

test("what was sent up to an event is what was sent before it, and it", () => {
  const marks = sent("open.1.end", "a.0", "b.0", "a.1", "a.2", "b.1.end");
  expect(openCursors(marks, sentUpTo(marks, { stream: "a", place: 1 }))).toEqual([
    { stream: "a", place: 1 },
    { stream: "b", place: 0 },
  ]);
  const all = sent("open.1.end", "a.0", "b.0", "b.1.end");
  expect(openCursors(all, sentUpTo(all, { stream: "open", place: 1 }))).toEqual([
    { stream: "a", place: 0 },
    { stream: "b", place: 0 },
  ]);
  expect(openCursors(all, sentUpTo(all, { stream: "b", place: 1 }))).toEqual([{ stream: "a", place: 0 }]);
});

test("behind an event that was not written down all that was counts as sent; before the oldest one nothing does", () => {
  const marks = sent("a.5", "b.2");
  expect(sentUpTo(marks, { stream: "b", place: 9 })).toEqual(marks);
  expect(sentUpTo(marks, { stream: "a", place: 1 })).toEqual([]);
  expect(sentUpTo(marks, { stream: "c", place: 1 })).toEqual([]);
});

test("the oldest marks go (G11)", () => {
  expect(sent("a.0", "b.0", "a.1", "b.1", "a.2").map(({ stream, to }) => `${stream}.${to}`)).toEqual([
    "b.0",
    "a.1",
    "b.1",
    "a.2",
  ]);
});
