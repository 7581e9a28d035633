import { createServer } from "node:http";
import { expect, test } from "vitest";
import { afterwards, connectHost, testFolder, toolsModule } from "./stdio-host.js";

/** Takes what a server sends to a collector. In OTLP's binary form, too, names stand as they are. */
async function startCollector() {
  const received: { readonly path: string; readonly text: string }[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push({ path: request.url ?? "", text: Buffer.concat(chunks).toString("latin1") });
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  afterwards(async () => {
    http.closeAllConnections();
    http.close();
  });
  const address = http.address();
  const port = typeof address === "object" ? address?.port : 0;
  const textAt = (path: string) => received.filter((request) => request.path === path).map(({ text }) => text);
  return { url: `http://127.0.0.1:${port}`, textAt: (path: string) => textAt(path).join("") };
}

const traceId = "0af7651916cd43dd8448eb211c80319c";

test.each([
  ["bundled", []],
  ["without a supervisor", ["--no-supervise"]],
])("a server that is %s sends its traces and metrics to the collector of --otlp", async (_how, more) => {
  const { url, textAt } = await startCollector();
  const args = [toolsModule, "--store", await testFolder(), "--otlp", url, ...more];
  const { client } = await connectHost(args);
  const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await client.callTool({ name: "count_to", arguments: { n: 2 }, _meta });
  await client.close();
  await expect.poll(() => textAt("/v1/traces")).toContain("resumable_mcp.attempt count_to");
  expect(textAt("/v1/traces")).toContain("tools/call count_to");
  expect(textAt("/v1/traces")).toContain(Buffer.from(traceId, "hex").toString("latin1"));
  await expect.poll(() => textAt("/v1/metrics")).toContain("resumable_mcp.checkpoint.duration");
});
