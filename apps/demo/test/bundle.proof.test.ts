import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unpackExtension, validateManifest } from "@anthropic-ai/mcpb";
import { openClient } from "@resumable-mcp/client";
import { afterAll, beforeAll, expect, test } from "vitest";

const demo = fileURLToPath(new URL("../", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bundle-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the bundle for Claude Desktop is valid, and what is unpacked from it serves the demo's tools", async () => {
  const [bundle, unpacked] = [join(folder, "demo.mcpb"), join(folder, "unpacked")];
  // What `npm run bundle` does, with another place for the bundle.
  await promisify(execFile)("npm", ["run", "-s", "bundle", "--", "--to", bundle], { cwd: demo });
  expect(await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true })).toBe(true);
  expect(validateManifest(join(unpacked, "manifest.json"))).toBe(true);
  const { server, name } = JSON.parse(await readFile(join(unpacked, "manifest.json"), "utf8"));
  const { command, args, env } = server.mcp_config;
  // What the host puts in: where the bundle lies, and what its user chose.
  const filled = (text: string) =>
    text.replace(/\$\{(__dirname|user_config\.downloads)\}/g, (_whole, key) =>
      key === "__dirname" ? unpacked : folder,
    );
  expect(command).toBe("node");
  const client = await openClient({
    servers: [
      {
        command: process.execPath,
        args: args.map(filled),
        env: { RESUMABLE_MCP_DEMO_DOWNLOADS: filled(env.RESUMABLE_MCP_DEMO_DOWNLOADS), XDG_DATA_HOME: folder },
      },
    ],
    stateFile: join(folder, "client.json"),
  });
  const call = await client.call("resumable_data_processing", {
    dataset_name: "default_dataset",
    total_records: 10,
    batch_size: 5,
    delay_ms: 0,
  });
  expect((await call.result()).structuredContent).toMatchObject({ total_processed: 10, status: "completed" });
  await client.close();
  expect(name).toBe("resumable-mcp-demo");
  const licenses = await readFile(join(unpacked, "THIRD_PARTY_LICENSES"), "utf8");
  expect(licenses).toMatch(/^@modelcontextprotocol\/sdk \S+ \(MIT\)$/m);
  expect(licenses).toMatch(/^zod \S+ \(MIT\)\n\nMIT License/m);
});
