import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RestartableServer, startRestartableServer } from "../src/processes/restartable-server.js";
import { startDroppingProxy } from "./dropping-proxy.js";

const timeoutMs = 90_000;
const built = new URL("../dist/", import.meta.url);
const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let folder: string;
let server: RestartableServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "postman-"));
  server = await startRestartableServer({ built, store: join(folder, "store") });
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function runCollection(url: string): Promise<{ code: number; output: string }> {
  const newman = createRequire(import.meta.url).resolve("newman/bin/newman.js");
  const child = spawn(
    process.execPath,
    [
      newman,
      "run",
      folderOf("../postman/resumable-mcp.postman_collection.json"),
      ...["--environment", folderOf("../postman/resumable-mcp.postman_environment.json")],
      ...["--env-var", `base_url=${url}`, "--timeout-request", "60000", "--color", "off", "--disable-unicode"],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code, output };
}

test("the collection gets its answer though the server is killed while it waits (feature 36)", {
  timeout: timeoutMs,
}, async () => {
  const proxy = await startDroppingProxy(server.url, async () => {
    await server.kill();
    await server.start();
  });
  const { code, output } = await runCollection(proxy.url);
  await proxy.close();
  expect(output).toContain("the answer to the dropped call arrives");
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(proxy.seen.filter((request) => request.includes('"tools/call"'))).toHaveLength(1);
});

test("the collection says so when nobody dropped the connection", { timeout: timeoutMs }, async () => {
  const { code, output } = await runCollection(server.url);
  expect(code).toBe(1);
  expect(output).toContain("answered: send it again, and stop the server sooner");
});
