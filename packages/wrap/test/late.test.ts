import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import { createSessionHandler, local } from "@resumable-mcp/mcp";
import { createHandler2026 } from "@resumable-mcp/mcp/2026";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { lowerLimit, openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("raw-server.js", import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrap-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
});

/** The raw server, behind a shell that may do something else before. */
const behind = (script: string) => ({
  command: "sh",
  args: ["-c", script, join(folder, "up"), process.execPath, program, join(folder, "effects")],
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Fetch = (request: Request, options: { readonly locality: typeof local }) => Promise<Response>;

/** Sends one request, and gives its result. */
async function ask(
  fetch: Fetch,
  method: string,
  params: JsonObject,
  more: Record<string, string>,
): Promise<JsonObject> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...more };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }), {
    locality: local,
  });
  const lines = (await response.text()).split("\n").map((line) => line.replace(/^data: /, ""));
  return JSON.parse(lines.findLast((line) => line.startsWith("{")) ?? "{}").result;
}

it("a server that answers after the gateway began says what it is, and its tools keep their names", async () => {
  lowerLimit("firstListMs", 1);
  const { definition, engine } = await openWrapped(behind('while [ ! -e "$0" ]; do sleep 0.01; done; exec "$@"'));
  const of2026 = createHandler2026({ engine, definition });
  const of2025 = createSessionHandler({ engine, definition });
  onTestFinished(() => Promise.all([of2026.close(), of2025.close()]).then(() => {}));
  const in2026 = (method: string, params: JsonObject = {}) => {
    const named = typeof params.name === "string" && { "mcp-name": params.name };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
    return ask((...asked) => of2026.fetch(...asked), method, { ...params, _meta }, headers);
  };
  const initialize = () =>
    ask(
      (...asked) => of2025.fetch(...asked),
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      {},
    );
  expect(JSON.stringify(await in2026("tools/list"))).toContain('"wait_for_task"');
  await writeFile(join(folder, "up"), "");
  await expect.poll(() => definition.upstream?.notStarted).toBeUndefined();

  const said = { instructions: expect.stringMatching(/^Use me\..*resumable_wait_for_task/s) };
  expect(await initialize()).toMatchObject({ ...said, serverInfo: { name: "raw", version: "1" } });
  expect(await in2026("server/discover")).toMatchObject({
    ...said,
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "raw", version: "1" } },
  });
  const { tools, _meta: ofList } = await in2026("tools/list");
  const names = (Array.isArray(tools) ? tools : []).map((tool) => Object(tool).name);
  expect(names).toEqual(expect.arrayContaining(["get_task", "resumable_wait_for_task"]));
  expect(names).not.toContain("wait_for_task");
  expect(ofList).toMatchObject({ "resumable-mcp/control_tools": { prefix: "resumable_" } });
  const call = (name: string) => in2026("tools/call", { name, arguments: {} });
  expect(await call("get_task")).toMatchObject({ content: [{ text: "mine" }] });
  expect(await call("resumable_list_session_tasks")).toMatchObject({ structuredContent: { tasks: expect.any(Array) } });
});

it("a tool that its server lists no longer when its call ends has the result of that call", async () => {
  const { definition, engine } = await openWrapped(behind('exec "$@"'));
  const handler = createHandler2026({ engine, definition });
  onTestFinished(() => handler.close());
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "rename" };
  const params = { name: "rename", arguments: {}, _meta };
  expect(await ask((...asked) => handler.fetch(...asked), "tools/call", params, headers)).toMatchObject({
    content: [{ type: "text", text: "renamed" }],
  });
});

it("a server that never answers again is given up, and its call, which was not made, after waitMs", async () => {
  for (const [limit, ms] of [
    ["discoverMs", 20],
    ["startMs", 100],
    ["waitMs", 1_000],
  ] as const)
    lowerLimit(limit, ms);
  const notes: string[] = [];
  const silent = behind('while [ -e "$0" ]; do read -r _ || exit 1; done; touch "$0"; exec "$@"');
  const { tasks } = await openWrapped({ ...silent, onNote: (note) => notes.push(note) });
  const { record: last } = await tasks.start({ tool: "work", input: { dieAt: 1 } });
  await tasks.wait(last.id);
  const { record } = await tasks.start({ tool: "work", input: {} });
  const { output } = (await tasks.wait(record.id)).record;
  expect(JSON.stringify(output)).toMatch(/UPSTREAM_AWAY/);
  expect(JSON.stringify(output)).toContain("work was not called.");
  expect(notes).toContain("The server did not answer within 0.1 seconds.");
});
