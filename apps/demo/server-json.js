// Writes the demo's entry for the MCP Registry, with the hash of its bundle and the version of the release:
// node apps/demo/server-json.js [BUNDLE [FILE]]. docs/releasing.md says when.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { releaseVersion } from "../../scripts/release-version.js";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const [bundle = here("resumable-mcp-demo.mcpb"), file = here("dist/server.json")] = process.argv.slice(2);
const version = releaseVersion();
const entry = JSON.parse(await readFile(here("server.json"), "utf8"));
const fileSha256 = createHash("sha256")
  .update(await readFile(bundle))
  .digest("hex");
const packages = entry.packages.map((each) => ({
  ...each,
  identifier: each.identifier.replace(/\/v[^/]+\//, `/v${version}/`),
  fileSha256,
}));
await writeFile(file, `${JSON.stringify({ ...entry, version, packages }, null, 2)}\n`);
console.log(`${file}: ${fileSha256}`);
