import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "tsup";
import { type Bug, bugs } from "./bug-list.js";

const run = promisify(execFile);
const simulation = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Builds the simulator with one defect, and lets it look for it. @returns a line of the table. */
async function hunt(bug: Bug, index: number, seeds: string): Promise<string> {
  const file = normalize(join(simulation, "../packages", bug.file));
  const text = readFileSync(file, "utf8");
  if (text.split(bug.find).length !== 2) throw new Error(`${bug.file} has not one place for: ${bug.name}`);
  const outDir = `dist/bugs/${index}`;
  await build({
    entry: [join(simulation, "src/index.ts")],
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    platform: "node",
    outDir: join(simulation, outDir),
    noExternal: [/^@resumable-mcp\//],
    define: { RESUMABLE_MCP_VERSION: '"0.0.0"' },
    esbuildOptions: (options) => {
      options.conditions = ["@resumable-mcp/source"];
    },
    esbuildPlugins: [
      {
        name: "put-back",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === file ? { contents: text.replace(bug.find, () => bug.replace), loader: "ts" } : undefined,
          ),
      },
    ],
  });
  const found = await run(process.execPath, [
    join(simulation, outDir, "index.js"),
    "--seeds",
    seeds,
    "--until-found",
  ]).catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  const [, seed, hours, rule] = /found by seed (\d+) after (\S+) virtual hours: (.*)/.exec(found.stdout) ?? [];
  return seed === undefined ? `| ${bug.name} | not found | | |` : `| ${bug.name} | ${seed} | ${hours} | ${rule} |`;
}

const [seeds = "1..2000", ...names] = process.argv.slice(2);
process.stdout.write("| Bug | Seed | Virtual hours until then | Broken |\n|---|---|---|---|\n");
let missed = 0;
for (const [index, bug] of bugs.entries()) {
  if (names.length > 0 && !names.some((name) => bug.name.includes(name))) continue;
  const line = await hunt(bug, index, seeds);
  if (line.includes("not found")) missed += 1;
  process.stdout.write(`${line}\n`);
}
process.exitCode = missed === 0 ? 0 : 1;
