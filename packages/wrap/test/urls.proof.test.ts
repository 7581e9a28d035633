import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { askIn2026 } from "./ask-in-2026.js";
import { cli, kill, startHttpGateway } from "./kill-storm.js";

const url = "https://example.com/secret";

/** A gateway before a server of an era. */
async function gatewayBefore(era: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "wrap-urls-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const words = [cli, "wrap", "http", "--port", "0", "--store", join(folder, "store")];
  const server = fileURLToPath(new URL("url-server.js", import.meta.url));
  const gateway = await startHttpGateway([...words, "--", "node", server, era]);
  onTestFinished(() => void kill(gateway.child.pid));
  return gateway.url;
}

it.each(["2025", "2026"])("a client of the 2025 era is sent to the URL of a server of the %s era", async (era) => {
  const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: { url: {} } } });
  const asked: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: "accept" };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(await gatewayBefore(era))));
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: "visit", arguments: {} });
  expect(result.content).toMatchObject([{ text: "visited: accept" }]);
  expect(asked).toMatchObject([{ mode: "url", message: "Sign in.", url, elicitationId: expect.any(String) }]);
});

it.each(["2025", "2026"])("a client of the 2026 era is sent to the URL of a server of the %s era", async (era) => {
  const request = askIn2026(await gatewayBefore(era), { elicitation: { url: {} } });
  const call = { name: "visit", arguments: {} };
  const { inputRequests, requestState = "" } = await request("tools/call", call);
  const [[key = "", asked] = []] = Object.entries(Object(inputRequests));
  expect(asked).toMatchObject({ method: "elicitation/create", params: { mode: "url", url } });
  const answers = { inputResponses: { [key]: { action: "accept" } } };
  const ended = await request("tools/call", { ...call, requestState, ...answers });
  expect(JSON.stringify(ended.content)).toContain("visited: accept");
});

it("a client of the 2026 era is sent to the URL that an error of a server of the 2025 era names", async () => {
  const request = askIn2026(await gatewayBefore("2025"), { elicitation: { url: {} } });
  const call = { name: "visit", arguments: { before: true } };
  const first = await request("tools/call", call);
  const params = { mode: "url", message: "Sign in.", url };
  expect(first.inputRequests).toEqual({ "url-1": { method: "elicitation/create", params } });
  const answers = { inputResponses: { "url-1": { action: "accept" } } };
  const second = await request("tools/call", { ...call, requestState: first.requestState ?? "", ...answers });
  expect(second.inputRequests).toEqual(first.inputRequests);
  const ended = await request("tools/call", { ...call, requestState: second.requestState ?? "", ...answers });
  expect(JSON.stringify(ended.content)).toContain("signed in");
});
