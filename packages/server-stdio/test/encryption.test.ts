import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newKeyLine } from "@resumable-mcp/store-encryption";
import { expect, test } from "vitest";
import { connectHost, killServer, testFolder, toolsModule } from "./stdio-host.js";

const timeoutMs = 240_000;

test("a call survives SIGKILL of a server with a keyring, and nothing of it can be read in the store", async () => {
  const folder = await testFolder();
  const keyring = join(folder, "keyring");
  await writeFile(keyring, newKeyLine(), { mode: 0o600 });
  const store = join(folder, "store");
  const { client, transport } = await connectHost([toolsModule, "--store", store, "--keyring", keyring]);
  const result = await client.callTool({ name: "count_to", arguments: { n: 20 } }, undefined, {
    timeout: timeoutMs,
    onprogress: ({ progress }) => {
      if (progress === 3) void killServer(transport.pid);
    },
  });
  expect(result).toMatchObject({ structuredContent: { counted: 20 } });
  await client.close();
  const entries = await readdir(store, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
  expect(kept).toContain("count_to");
  for (const content of ["Counted 20/20", '"counted"', "pace_ms", "local:local"]) expect(kept).not.toContain(content);
});
