import { describe, expect, it } from "vitest";
import { completeEvents, splitEvents } from "./complete-events.js";

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

  it("knows every kind of line end", () => {
    expect(splitEvents("data: 1\r\n\r\ndata: 2")).toEqual({ whole: "data: 1\r\n\r\n", rest: "data: 2" });
    expect(splitEvents("data: 1\r\rdata: 2")).toEqual({ whole: "data: 1\r\r", rest: "data: 2" });
  });
});
