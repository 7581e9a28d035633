import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { callOverHttp, cli, kill, startHttpGateway } from "./kill-storm.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrap-pass-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
});

/** A server whose tool says with which header it was called, unless it is silent, and what came with every request. */
async function remote() {
  const seen: (readonly [method: unknown, tenant: unknown, authorization: unknown])[] = [];
  const here = { seen, silent: false, url: "" };
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    const { authorization, "x-tenant": tenant } = request.headers;
    seen.push([method, tenant, authorization]);
    const send = (answer: object) =>
      response
        .writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" })
        .end(id === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    if (method === "initialize")
      return void send({
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "far", version: "1" },
        },
      });
    const tools = [{ name: "who", inputSchema: { type: "object" } }];
    if (method === "tools/list") return void send({ result: { tools } });
    if (method !== "tools/call") return void send({ error: { code: -32_601, message: "unknown" } });
    if (!here.silent) send({ result: { content: [{ type: "text", text: `for ${String(tenant)}` }] } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  here.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return here;
}

const open = async (url: string) => {
  const options = ["--port", "0", "--store", join(folder, "store"), "--recover-after", "now", "--repeat", "who=always"];
  const gateway = await startHttpGateway([cli, "wrap", "http", ...options, "--url", url, "--pass-header", "X-Tenant"]);
  onTestFinished(() => void kill(gateway.child.pid));
  return gateway;
};

describe("a header of the caller", () => {
  it("goes with its calls alone, and is neither stored nor another caller's", async () => {
    const far = await remote();
    const { url } = await open(far.url);
    const call = (tenant: string) => callOverHttp(url, "who", {}, null, { "x-tenant": tenant });
    const both = await Promise.all(["secret-a", "secret-b"].map(call));
    expect(both).toEqual(["secret-a", "secret-b"].map((tenant) => expect.stringContaining(`for ${tenant}`)));
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { "x-tenant": "secret-c", authorization: "Bearer x" } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
    expect(JSON.stringify(await client.callTool({ name: "who", arguments: {} }))).toContain("for secret-c");
    await client.close();
    expect(far.seen.filter(([, tenant]) => tenant !== undefined).map(([method]) => method)).toEqual(
      Array.from({ length: 3 }, () => "tools/call"),
    );
    expect(far.seen.filter(([, , authorization]) => authorization !== undefined)).toEqual([]);
    const files = await readdir(join(folder, "store"), { recursive: true, withFileTypes: true });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), "utf8"));
    const kept = (await Promise.all(contents)).join("");
    expect(kept).toContain("for secret-a");
    expect(kept.replaceAll("for secret-", "")).not.toContain("secret-");
  });

  it("is waited for after a restart: the call is made again when its caller makes it", async () => {
    const far = await remote();
    far.silent = true;
    const first = await open(far.url);
    const call = (url: string, tenant: string) => callOverHttp(url, "who", {}, null, { "x-tenant": tenant });
    const lost = call(first.url, "a");
    const calls = () => far.seen.filter(([method]) => method === "tools/call").map(([, tenant]) => tenant);
    await expect.poll(calls).toEqual(["a"]);
    kill(first.child.pid);
    expect(await lost).toBeUndefined();
    far.silent = false;
    const { url } = await open(far.url);
    expect(await call(url, "b")).toContain("for b");
    expect(calls()).toEqual(["a", "b"]);
    expect(await call(url, "a")).toContain("for a");
    expect(calls()).toEqual(["a", "b", "a"]);
  });
});
