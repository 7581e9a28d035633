import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newerNode } from "../src/run-suite.js";
import { type SpawnedServer, spawnServerOn } from "../src/spawn-server.js";

/** The newer Node comes from the registry at the first run. */
const startTimeoutMs = 120_000;

let server: SpawnedServer;
beforeAll(async () => {
  const args = ["--yes", "--prefer-offline", "--package", newerNode, "--", "node", "-p", "process.execPath"];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: tmpdir() });
  server = await spawnServerOn(stdout.trim(), "--port", "0");
}, startTimeoutMs);
afterAll(() => server.stop("SIGKILL"));

const identity = { name: "stock", version: "1" };

async function connectLegacy() {
  const client = new Client(identity);
  // The SDK's own types disagree with each other under exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(server.url)) as Parameters<Client["connect"]>[0];
  await client.connect(transport);
  return client;
}

async function connectModern() {
  const client = new ModernClient(identity, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(new URL(server.url)));
  return client;
}

test.each([
  ["2025", connectLegacy],
  ["2026", connectModern],
])("a server on a newer Node answers clients of the %s era, at once and over a stream", async (_era, connect) => {
  const client = await connect();
  expect(await client.callTool({ name: "greet", arguments: { name: "Ada" } })).toMatchObject({
    content: [{ text: "Hello, Ada!" }],
  });
  expect(await client.callTool({ name: "slow_compute", arguments: { seconds: 0.1, label: "pi" } })).toMatchObject({
    content: [{ text: "Computed pi for 0.1 s." }],
  });
  await client.close();
});
