import { describe, expect, it, vi } from "vitest";
import { CallError } from "./connection.js";
import { postCall } from "./post-call.js";

const target = { endpoint: "http://127.0.0.1:1/mcp", prefix: "long_", token: "secret" };

/** The requests that are made, and what answers them; `%id` is put where the response needs the request's id. */
function answering(body: string, init: ResponseInit & { readonly type?: string } = {}) {
  const requests: { readonly url: unknown; readonly headers: Headers; readonly body: unknown }[] = [];
  vi.stubGlobal("fetch", async (url: unknown, request: RequestInit) => {
    const sent: { readonly id: number } = JSON.parse(String(request.body));
    requests.push({ url, headers: new Headers(request.headers), body: sent });
    const headers = { "content-type": init.type ?? "application/json" };
    return new Response(body.replaceAll("%id", String(sent.id)), { ...init, headers });
  });
  return requests;
}

const result = (value: object) => JSON.stringify({ jsonrpc: "2.0", id: "%id", result: value }).replace('"%id"', "%id");
const failure = (code: number, message: string) =>
  `{"jsonrpc":"2.0","id":%id,"error":{"code":${code},"message":"${message}"}}`;
const call = () => postCall(target, "get_task", { task_id: "a" });

/** Why a call failed. */
async function failureOf(body: string, init?: Parameters<typeof answering>[1]): Promise<readonly unknown[]> {
  answering(body, init);
  const error = await call().catch((reason: unknown) => reason);
  return error instanceof CallError ? [error.failure, error.code, error.message] : [error];
}

describe("a call for all owners", () => {
  it("says so where the tool can be asked for them, and nowhere else", async () => {
    const requests = answering(result({ structuredContent: {} }));
    await postCall({ ...target, allOwners: true }, "get_task", { task_id: "a" });
    await postCall({ ...target, allOwners: true }, "run_tool", {});
    await call();
    const keys = requests.map(({ body }) => JSON.stringify(body).includes('"resumable-mcp/all_owners":true'));
    expect(keys).toEqual([true, false, false]);
  });
});

describe("a call of the page", () => {
  it("is one request that says which revision, method and tool it means, who calls, and what the page can show", async () => {
    const requests = answering(result({ structuredContent: { task_id: "a" } }));
    expect(await call()).toEqual({ task_id: "a" });
    const [{ headers, body } = { headers: new Headers(), body: {} }] = requests;
    const names = ["mcp-protocol-version", "mcp-method", "mcp-name", "authorization"];
    expect(names.map((name) => headers.get(name))).toEqual([
      "2026-07-28",
      "tools/call",
      "long_get_task",
      "Bearer secret",
    ]);
    expect(body).toMatchObject({
      method: "tools/call",
      params: {
        name: "long_get_task",
        arguments: { task_id: "a" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {
            extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
          },
        },
      },
    });
  });

  it("reads a response that is a stream of events", async () => {
    const progress = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n';
    answering(`: hello\n\n${progress}event: message\ndata: ${result({ structuredContent: { a: 1 } })}\n\n`, {
      type: "text/event-stream",
    });
    expect(await call()).toEqual({ a: 1 });
  });

  it("reads events whose lines end with a carriage return alone, as the format allows", async () => {
    answering(`\uFEFFdata\rdata: ${result({ structuredContent: { a: 1 } })}\r\r: bye\n`, { type: "text/event-stream" });
    expect(await call()).toEqual({ a: 1 });
  });

  it.each<[string, readonly unknown[], string, Parameters<typeof answering>[1]?]>([
    ["401", ["signed_out", undefined, "HTTP 401"], "", { status: 401 }],
    ["403", ["refused", "FORBIDDEN", "HTTP 403"], "", { status: 403 }],
    ["503", ["away", undefined, "HTTP 503"], "busy", { status: 503 }],
    ["429", ["away", undefined, "slow down"], failure(-32_000, "slow down"), { status: 429 }],
    ["a response that is not JSON", ["away", undefined, "HTTP 200"], "<html>"],
    ["a tool that does not exist", ["unknown_tool", undefined, "Unknown tool"], failure(-32_602, "Unknown tool")],
    ["a request that is refused", ["refused", undefined, "no"], failure(-32_000, "no"), { status: 400 }],
    [
      "a tool's failure",
      ["refused", "TASK_NOT_FOUND", "Task a not found."],
      result({
        isError: true,
        content: [{ type: "text", text: "sentence" }],
        structuredContent: { error: { code: "TASK_NOT_FOUND", message: "Task a not found." } },
      }),
    ],
    [
      "a tool's failure without data",
      ["refused", undefined, "sentence"],
      result({ isError: true, content: [{ type: "text", text: "sentence" }] }),
    ],
  ])("says by its failure what is to be done after %s", async (_what, expected, body, init) => {
    expect(await failureOf(body, init)).toEqual(expected);
  });

  it("finds the server away where nothing answers", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("Failed to fetch");
    });
    await expect(call()).rejects.toMatchObject({ failure: "away", message: "no connection" });
  });

  it("reads no response without end", async () => {
    const part = new TextEncoder().encode("x".repeat(8_000_000));
    const cancelled = vi.fn();
    vi.stubGlobal("fetch", async () => {
      return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(part), cancel: cancelled }));
    });
    await expect(call()).rejects.toMatchObject({ failure: "refused" });
    expect(cancelled).toHaveBeenCalledOnce();
  });
});
