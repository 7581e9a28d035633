import { expect, test } from "vitest";
import { z } from "zod";
import { withReadableError } from "./sdk-workarounds.js";

test("what a validator says of malformed params becomes a sentence and the caller's mistake", () => {
  const schema = z.object({ params: z.object({ uri: z.string(), level: z.enum(["debug", "info"]) }) });
  const message = schema.safeParse({ params: { level: "loud" } }).error?.message ?? "";
  expect(withReadableError({ jsonrpc: "2.0", id: 1, error: { code: -32_603, message } })).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: {
      code: -32_602,
      message:
        'Invalid params: uri: Invalid input: expected string, received undefined; level: Invalid option: expected one of "debug"|"info".',
    },
  });
});

test("the same where the SDK names the request before it", () => {
  const list = JSON.stringify([{ path: ["params", "arguments"], message: "Expected a record", code: "x" }], null, 2);
  for (const prefix of ["Invalid tools/call request: ", "MCP error -32602: Invalid tools/call request: "]) {
    expect(withReadableError({ error: { code: -32_602, message: `${prefix}${list}` } })).toEqual({
      error: { code: -32_602, message: "Invalid params: arguments: Expected a record." },
    });
  }
});

test("every other message stays as it is", () => {
  for (const message of [
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "[broken" } },
    { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "[]" } },
    { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "Method not found" } },
  ]) {
    expect(withReadableError(message)).toBe(message);
  }
});
