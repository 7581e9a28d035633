import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../src/package-version.js";

const read = async (file: string | URL) => JSON.parse(await readFile(file, "utf8"));
const ofDemo = (name: string) => new URL(`../${name}`, import.meta.url);

async function problemsOf(entry: unknown): Promise<unknown> {
  const ajv = new Ajv2020({ allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(await read(new URL("server.schema.json", import.meta.url)));
  validate(entry);
  return validate.errors ?? [];
}

test("the entry for the MCP Registry fits its schema, and names the demo as its package does", async () => {
  const entry = await read(ofDemo("server.json"));
  expect(await problemsOf(entry)).toEqual([]);
  expect(entry.name).toBe((await read(ofDemo("package.json"))).mcpName);
  expect(await problemsOf({ ...entry, description: "x".repeat(101), packages: [{}] })).not.toEqual([]);
});

test("what is published has the version of the release and the hash of its bundle", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-json-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [bundle, file] = [join(folder, "demo.mcpb"), join(folder, "server.json")];
  await writeFile(bundle, "a bundle");
  await promisify(execFile)(process.execPath, [fileURLToPath(ofDemo("server-json.js")), bundle, file]);
  const entry = await read(file);
  expect(await problemsOf(entry)).toEqual([]);
  expect(entry).toMatchObject({
    version: packageVersion,
    packages: [
      {
        identifier: expect.stringContaining(`/v${packageVersion}/resumable-mcp-demo.mcpb`),
        fileSha256: createHash("sha256").update("a bundle").digest("hex"),
      },
    ],
  });
});
