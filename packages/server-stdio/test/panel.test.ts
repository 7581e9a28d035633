import { expect, test } from "vitest";
import { connectHost, killServer, testFolder, toolsModule } from "./stdio-host.js";

const apps = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const uri = "ui://resumable-mcp/panel";

test("a host that shows apps gets the panel, also after the server was killed under it", async () => {
  const args = [toolsModule, "--store", await testFolder()];
  const { client, transport } = await connectHost(args, { capabilities: apps });
  const { contents } = await client.readResource({ uri });
  expect(contents).toMatchObject([
    { mimeType: "text/html;profile=mcp-app", text: expect.stringMatching(/^<!doctype html>/) },
  ]);
  const find = () => client.callTool({ name: "find_task", arguments: { tool: "count_to", arguments: { n: 3 } } });
  expect((await find()).structuredContent).toEqual({ task_id: null });
  await killServer(transport.pid);
  expect((await find()).structuredContent).toEqual({ task_id: null });
  expect((await client.readResource({ uri })).contents).toEqual(contents);
});

test("with panel: false there is none", async () => {
  const args = [toolsModule, "--store", await testFolder()];
  const { client } = await connectHost(args, { capabilities: apps, env: { RESUMABLE_MCP_PANEL: "false" } });
  await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
  const { tools } = await client.listTools();
  expect(tools.filter(({ name, _meta }) => name === "find_task" || _meta?.ui !== undefined)).toEqual([]);
});
