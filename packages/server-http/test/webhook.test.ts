import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterwards, startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

test("a program with --webhook sends signed messages, and nothing that a caller sends is in them (G1.3)", async () => {
  const folder = await testFolder();
  const bodies: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push([String(request.headers["webhook-signature"]).slice(0, 3), JSON.parse(body)]);
    response.writeHead(204).end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  afterwards(async () => void receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const secret = join(folder, "secret");
  writeFileSync(secret, `whsec_${Buffer.alloc(32, 7).toString("base64")}`, { mode: 0o600 });
  const webhook = ["--webhook", `http://127.0.0.1:${port}/hook`, "--webhook-secret-file", secret];
  const server = await startServer([toolsModule, "--port", "0", "--store", join(folder, "store"), ...webhook]);
  const { client } = await connectStock(server.url);
  const { structuredContent } = await client.callTool({ name: "ask_name", arguments: {} });
  const { task_id: id } = structuredContent as { readonly task_id: string };
  await expect.poll(() => bodies).toHaveLength(1);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(bodies).toEqual([["v1,", { id, tool: "ask_name", status: "input_required", time }]]);
  await server.stop("SIGTERM");
});
