import { describe, expect, it } from "vitest";
import { parseTraceContext } from "./trace-context.js";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("parseTraceContext", () => {
  it("takes what W3C Trace Context describes", () => {
    expect(parseTraceContext({ traceparent })).toEqual({ traceparent });
    const tracestate = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE";
    expect(parseTraceContext({ traceparent, tracestate, baggage: "a=b" })).toEqual({ traceparent, tracestate });
  });

  it("reads later versions by the fields of version 00", () => {
    expect(parseTraceContext({ traceparent: `${traceparent.replace("00", "cc")}-what-the-future-adds` })).toEqual({
      traceparent,
    });
  });

  it.each([
    [undefined],
    [7],
    [""],
    [traceparent.toUpperCase()],
    [`${traceparent}-00`],
    [traceparent.replace("00-", "ff-")],
    [traceparent.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32))],
    [traceparent.replace("00f067aa0ba902b7", "0".repeat(16))],
    [`01${traceparent.slice(2)}${"x".repeat(100_000)}`],
    [`01${traceparent.slice(2)}-${"x".repeat(100_000)}`],
  ])("takes no trace of %s", (given) => {
    expect(parseTraceContext({ traceparent: given })).toBeUndefined();
  });

  it.each([
    ["too long", `a=${"x".repeat(511)}`],
    ["of too many entries", Array.from({ length: 33 }, (_, index) => `a${index}=1`).join(",")],
    ["with a control character", "a=1\r\nset-cookie: x"],
    ["that is a number", 7],
  ])("leaves out a tracestate %s", (_what, tracestate) => {
    expect(parseTraceContext({ traceparent, tracestate })).toEqual({ traceparent });
  });
});
