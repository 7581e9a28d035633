import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newKeyLine } from "@resumable-mcp/store-encryption";
import { expect, test } from "vitest";
import { runToEnd, startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

/** All files of a folder as one text. */
async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))).join("\n");
}

test("a server with a keyring leaves nothing readable in its folder, and goes back to its calls after SIGKILL", async () => {
  const folder = await testFolder();
  const keyring = join(folder, "keyring");
  await writeFile(keyring, newKeyLine(), { mode: 0o600 });
  const store = join(folder, "store");
  const args = [toolsModule, "--port", "0", "--store", store];
  const server = await startServer([...args, "--keyring", keyring]);
  const { client } = await connectStock(server.url);
  const answer = await client.callTool({ name: "count_to", arguments: { n: 3 } });
  expect(answer.structuredContent).toEqual({ counted: 3 });
  const running = await client.callTool({
    name: "count_to",
    arguments: { n: 10, pace_ms: 100 },
    _meta: { "resumable-mcp/handoff": 0 },
  });
  const { task_id } = running.structuredContent as { readonly task_id: string };
  await client.close();
  await server.kill();
  const kept = await filesOf(store);
  expect(kept).toContain("count_to");
  for (const content of ["Counted 3/3", '"counted"', "pace_ms", "local:local"]) expect(kept).not.toContain(content);
  const refused = await runToEnd(args);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--keyring FILE")]);
  const wrong = join(folder, "wrong");
  await writeFile(wrong, newKeyLine(), { mode: 0o600 });
  const locked = await runToEnd([...args, "--keyring", wrong]);
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining("does not have the key")]);
  const again = await startServer([...args, "--keyring", keyring]);
  const returned = (await connectStock(again.url)).client;
  const result = await returned.callTool({ name: "wait_for_task", arguments: { task_id } });
  expect(result.structuredContent).toEqual({ counted: 10 });
  await returned.close();
  expect((await again.stop("SIGTERM")).code).toBe(0);
});
