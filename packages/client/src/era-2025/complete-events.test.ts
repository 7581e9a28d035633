import { describe, expect, it } from "vitest";
import { completeEvents, createEventSplitter } from "./complete-events.js";

function source(chunks: readonly string[], end: "close" | "error"): ReadableStream<Uint8Array> {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "close") controller.close();
      else controller.error(new Error("terminated"));
    },
  });
}

const read = (chunks: readonly string[], end: "close" | "error", maxEventBytes = 100) =>
  new Response(completeEvents(source(chunks, end), { epilogue: "data: end\n\n", maxEventBytes })).text();

describe("a stream of whole events", () => {
  it("passes events on as they come and closes with the epilogue", async () => {
    expect(await read(["data: 1\n", "\ndata: 2\n\n"], "close")).toBe("data: 1\n\ndata: 2\n\ndata: end\n\n");
  });

  it("drops the event in which the connection broke, its id included", async () => {
    expect(await read(["id: 1\ndata: 1\n\nid: 2\nda"], "error")).toBe("id: 1\ndata: 1\n\ndata: end\n\n");
  });

  it("ends at an event that is too large", async () => {
    expect(await read(["data: 1\n\n", "x".repeat(101), "data: 2\n\n"], "close")).toBe("data: 1\n\ndata: end\n\n");
  });

  it.each(["\n\n", "\r\r", "\r\n\r\n"])("knows the line end %j, wherever the network cuts it", (end) => {
    const text = `data: 1${end}data: 2${end}data: 3`;
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 1) {
        const split = createEventSplitter();
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)].map(split);
        expect(pieces.map(({ whole }) => whole).join("")).toBe(`data: 1${end}data: 2${end}`);
        expect(pieces.at(-1)?.restLength).toBe("data: 3".length);
      }
    }
  });

  it("looks at each piece of a large event once: looking at all of them each time would take minutes", () => {
    const split = createEventSplitter();
    const piece = "x".repeat(64);
    const pieces = 2 ** 18;
    for (let count = 1; count < pieces; count += 1) split(piece);
    expect(split(piece)).toEqual({ whole: "", restLength: pieces * piece.length });
    expect(split("\n\nrest")).toEqual({ whole: `${piece.repeat(pieces)}\n\n`, restLength: 4 });
  });
});
