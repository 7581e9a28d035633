import { describe, expect, it } from "vitest";
import { adoptError, incoming, outgoing } from "./link-transport.js";

describe("ids on the wire", () => {
  it("carry the prefix of their link, in requests and in cancellations", () => {
    expect(outgoing({ jsonrpc: "2.0", id: 3, method: "ping" }, "a:")).toMatchObject({ id: "a:3" });
    expect(
      outgoing({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } }, "a:"),
    ).toMatchObject({ params: { requestId: "a:3" } });
  });

  it("lose it in answers to this link, and only there", () => {
    expect(incoming({ jsonrpc: "2.0", id: "a:3", result: {} }, "a:")).toMatchObject({ id: 3 });
    expect(incoming({ jsonrpc: "2.0", id: "b:3", result: {} }, "a:")).toMatchObject({ id: "b:3" });
    expect(incoming({ jsonrpc: "2.0", id: 3, method: "ping" }, "a:")).toMatchObject({ id: 3 });
  });

  it("of an error on a resumed stream are those of the request that resumes it", () => {
    const error = { jsonrpc: "2.0" as const, id: "b:9", error: { code: -32_603, message: "failed" } };
    expect(adoptError(error, "a:", "a:1")).toMatchObject({ id: "a:1" });
    expect(adoptError(error, "a:", undefined)).toBe(error);
  });
});
