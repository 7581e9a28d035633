// Packs the demo's server as a bundle that Claude Desktop installs by a double click: the supervisor, the tools and their
// data, with everything that they import, in a few self-contained files. Usage: node apps/demo/bundle.js [FILE]
import { cp, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packExtension, validateManifest } from "@anthropic-ai/mcpb";
import { build } from "tsup";
import { writeThirdPartyLicenses } from "../../scripts/third-party-licenses.js";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "resumable-mcp-demo.mcpb");
const server = dirname(createRequire(import.meta.url).resolve("@resumable-mcp/server-stdio/package.json"));
const tools = join(here, "dist", "tools.js");
const { default: definition } = await import(tools);

/** Source: MCPB manifest specification, version 0.3. */
const manifest = {
  manifest_version: "0.3",
  name: definition.name,
  display_name: "Resumable tools (demo)",
  version: definition.version,
  description: "Long-running tools on real data that continue after a crash of the server.",
  author: { name: "resumable-mcp contributors" },
  license: "MIT",
  server: {
    type: "node",
    entry_point: "server/cli.js",
    mcp_config: {
      command: "node",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the folder in.
      args: ["${__dirname}/server/cli.js", "${__dirname}/server/tools.js", "--name", definition.name, "--handoff"],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: and what its user chose.
      env: { RESUMABLE_MCP_DEMO_DOWNLOADS: "${user_config.downloads}" },
    },
  },
  user_config: {
    downloads: {
      type: "directory",
      title: "Downloads",
      description: "Where large_file_download puts files.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: and what it knows of its user.
      default: "${DOWNLOADS}",
    },
  },
  tools: definition.tools.map(({ name, description }) => ({ name, description })),
  // And those that control tasks.
  tools_generated: true,
  compatibility: { runtimes: { node: ">=20.19" } },
};

const folder = await mkdtemp(join(tmpdir(), "bundle-"));
try {
  await build({
    entry: { cli: join(server, "dist", "cli.cjs"), tools },
    outDir: join(folder, "server"),
    format: "esm",
    target: "node20",
    platform: "node",
    minify: true,
    config: false,
    silent: true,
    // What loads TypeScript is not needed: the tools are compiled here.
    noExternal: [/^(?!jiti$)/],
    esbuildPlugins: [writeThirdPartyLicenses(join(folder, "THIRD_PARTY_LICENSES"))],
    // Some dependencies are CommonJS and call `require`, which an ES module has to make for them.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  // What the bundled server loads when it needs it, by its name.
  const bundled = join(server, "dist", "bundled");
  const late = (await readdir(bundled)).filter((name) => name.endsWith(".cjs"));
  await Promise.all(late.map((name) => cp(join(bundled, name), join(folder, "server", name))));
  await cp(join(here, "data"), join(folder, "data"), { recursive: true });
  await cp(join(here, "..", "..", "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const isValid = validateManifest(join(folder, "manifest.json"));
  const isPacked = isValid && (await packExtension({ extensionPath: folder, outputPath: output, silent: true }));
  if (!isPacked) throw new Error("The bundle could not be packed: its manifest is not valid.");
  console.log(`${output}: ${Math.ceil((await stat(output)).size / 1024)} KiB`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
