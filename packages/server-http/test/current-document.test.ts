import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const toolsModule = fileURLToPath(new URL("stopping-tools-module.js", import.meta.url));

/** What a person sees who opens the only task's document. */
function documentIn(store: string): unknown {
  const path = readdirSync(store, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("task.json"));
  return path === undefined ? undefined : JSON.parse(readFileSync(join(store, path), "utf8"));
}

test("task.json shows 15 of 50 after the server was killed at 15 of 50 (feature 41)", async () => {
  const store = await testFolder();
  const server = await startServer([toolsModule, "--port", "0", "--store", store]);
  const { client } = await connectStock(server.url);
  const begun = { name: "stops_at_15", arguments: {}, _meta: { "resumable-mcp/handoff": 0 } };
  await client.callTool(begun);
  const at15 = {
    record: { status: "running", progress: 15, total: 50, message: "Processed 15/50 records" },
  };
  await expect.poll(() => documentIn(store)).toMatchObject(at15);
  await server.kill();
  expect(documentIn(store)).toMatchObject(at15);
});
