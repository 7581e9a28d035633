import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterwards, connectHost, testFolder, toolsModule } from "./stdio-host.js";

test("a server over stdio sends messages too (G1.3)", async () => {
  const folder = await testFolder();
  const bodies: { status: string }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(JSON.parse(body));
    response.writeHead(204).end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  afterwards(async () => void receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const secret = join(folder, "secret");
  writeFileSync(secret, `whsec_${Buffer.alloc(32, 7).toString("base64")}`, { mode: 0o600 });
  const webhook = ["--webhook", `http://127.0.0.1:${port}/hook`, "--webhook-secret-file", secret];
  const { client } = await connectHost([toolsModule, "--store", join(folder, "store"), ...webhook]);
  await client.callTool({ name: "count_to", arguments: { n: 1 } });
  await expect.poll(() => bodies.map(({ status }) => status)).toEqual(["completed"]);
});
