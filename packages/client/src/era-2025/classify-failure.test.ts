import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { rpcCodes } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import { classifyFailure, mayBeStarting } from "./classify-failure.js";

const fetchFailed = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

/** Node 20's parser gives a code, Node 24's gives none. */
const unparsed = (code: string | undefined) => {
  const cause = Object.assign(new Error("Response does not match the HTTP/1.1 protocol"), { name: "HTTPParserError" });
  return new TypeError("fetch failed", { cause: code === undefined ? cause : Object.assign(cause, { code }) });
};

describe("what is known of a failed request", () => {
  it.each([
    ["a refused connection", fetchFailed("ECONNREFUSED"), true, "unreachable"],
    ["a reset connection", fetchFailed("ECONNRESET"), true, "broken"],
    ["a server that drains", new StreamableHTTPError(503, "draining"), true, "unreachable"],
    ["a gateway without an answer", new StreamableHTTPError(504, "timeout"), true, "broken"],
    ["a server that failed", new StreamableHTTPError(500, "failed"), true, "broken"],
    ["a server that failed before there was a session", new StreamableHTTPError(500, "failed"), false, "broken"],
    ["an unknown session", new StreamableHTTPError(404, "not found"), true, "session_lost"],
    ["a session that a 400 names", new StreamableHTTPError(400, "No valid session ID"), true, "session_lost"],
    [
      "a session that is full of calls whose servers died",
      new StreamableHTTPError(429, "Error POSTing to endpoint: This session has reached its limit maxOpenCalls = 256."),
      true,
      "session_lost",
    ],
    ["a caller that asks too often", new StreamableHTTPError(429, "Too many requests."), true, "unreachable"],
    ["a wrong path", new StreamableHTTPError(404, "not found"), false, "not_mcp"],
    ["a web page", new StreamableHTTPError(-1, "Unexpected content type: text/html"), false, "not_mcp"],
    ["an answer that is not HTTP, on Node 20", unparsed("HPE_INVALID_CONSTANT"), false, "not_mcp"],
    ["an answer that is not HTTP, on Node 24", unparsed(undefined), false, "not_mcp"],
    ["a missing token", new StreamableHTTPError(401, "unauthorized"), false, "unauthorized"],
    ["a stream that ended", new McpError(rpcCodes.streamEnded, "ended"), true, "broken"],
    ["a process that ended", new McpError(ErrorCode.ConnectionClosed, "closed"), false, "broken"],
    ["an error of the protocol", new McpError(ErrorCode.InvalidParams, "bad"), true, "answer"],
    ["a store that is away", new McpError(rpcCodes.internalError, "x", { code: "STORE_MISSING" }), true, "broken"],
    ["a damaged task", new McpError(rpcCodes.internalError, "x", { code: "TASK_CORRUPT" }), true, "answer"],
    ["a command that does not exist", Object.assign(new Error("spawn x"), { code: "ENOENT" }), false, "unreachable"],
  ])("%s", (_name, error, inSession, kind) => {
    expect(classifyFailure(error, { inSession }).kind).toBe(kind);
  });

  it("what a server says of a refused token is passed on", () => {
    const body = { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "The token lacks a scope." } };
    const reasonOf = (text: string) => {
      const error = new StreamableHTTPError(403, `Error POSTing to endpoint: ${text}`);
      return classifyFailure(error, { inSession: true }).message;
    };
    expect([reasonOf(JSON.stringify(body)), reasonOf("<html>"), reasonOf("{}"), reasonOf("{")]).toEqual([
      "HTTP 403: The token lacks a scope.",
      "HTTP 403",
      "HTTP 403",
      "HTTP 403",
    ]);
  });
});

describe("a server that may be starting", () => {
  const refusal = (address?: string, code = "ECONNREFUSED") => Object.assign(new Error(code), { code, address });
  const failed = (cause: Error) => new Error("No server answers.", { cause: new TypeError("fetch failed", { cause }) });

  it.each([
    ["is refused at 127.0.0.1", refusal("127.0.0.1"), true],
    ["is refused at both addresses of localhost", new AggregateError([refusal("::1"), refusal("127.0.0.1")]), true],
    ["is none of another machine", refusal("192.0.2.1"), false],
    [
      "is none of another machine, at one of two addresses",
      new AggregateError([refusal("::1"), refusal("192.0.2.1")]),
      false,
    ],
    ["is none of which the address is not known", refusal(), false],
    ["resets the connection", refusal(undefined, "ECONNRESET"), true],
    ["closes the connection", refusal(undefined, "UND_ERR_SOCKET"), true],
  ])("%s", (_where, cause, expected) => {
    expect(mayBeStarting(failed(cause))).toBe(expected);
  });
});
