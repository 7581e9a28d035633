import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "tsup";
import type { Bug } from "./bug.js";
import { bugs } from "./bug-list.js";

const run = promisify(execFile);
const simulation = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Where the simulator found a bug. */
interface Finding {
  readonly seed: string;
  /** Virtual time within that seed. */
  readonly at: string;
  /** Virtual hours of all seeds until then. */
  readonly hours: string;
  readonly violation: string;
}

/** Builds the simulator with one defect in it. @returns its program. */
async function buildWith({ name, file, find, replace }: Bug): Promise<string> {
  const path = normalize(join(simulation, "../packages", file));
  const text = readFileSync(path, "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} does not have one place for: ${name}`);
  const outDir = join(simulation, "dist/bugs", name.replaceAll(/\W+/g, "-"));
  await build({
    entry: [join(simulation, "src/index.ts")],
    config: false,
    silent: true,
    format: "esm",
    splitting: false,
    target: "node20",
    platform: "node",
    outDir,
    noExternal: [/^@resumable-mcp\//],
    define: { RESUMABLE_MCP_VERSION: '"0.0.0"' },
    esbuildOptions: (options) => {
      // The bundler looked at the working directory when it was loaded.
      options.absWorkingDir = simulation;
      options.conditions = ["@resumable-mcp/source"];
    },
    esbuildPlugins: [
      {
        name: "put-back",
        setup: (plugin) =>
          plugin.onLoad({ filter: /\.ts$/ }, (given) =>
            given.path === path ? { contents: text.replace(find, () => replace), loader: "ts" } : undefined,
          ),
      },
    ],
  });
  return join(outDir, "index.js");
}

/** Lets the simulator look for the defect that it has. */
async function hunt(program: string, seeds: string): Promise<Finding | undefined> {
  const args = [program, "--seeds", seeds, "--until-found"];
  const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: 2 ** 28 }).catch(
    // It ends with 1 when it found something.
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  if (!stdout.includes(" virtual hours")) throw new Error(`The simulator did not run: ${stderr}`);
  const [, seed, at, hours, violation] =
    /found by seed (\d+) at (\S+) virtual seconds, after (\S+) virtual hours: (.*)/.exec(stdout) ?? [];
  if (seed === undefined || at === undefined || hours === undefined || violation === undefined) return undefined;
  return { seed, at: `${at} s`, hours, violation };
}

// What is not bundled is read from the package in which the build runs.
process.chdir(simulation);
const [seeds = "1..2000", ...names] = process.argv.slice(2);
const chosen = bugs.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
process.stdout.write(
  "| Bug | Seed | Virtual time in it | Virtual hours until then | Broken |\n|---|---|---|---|---|\n",
);
let missed = 0;
for (const bug of chosen) {
  const finding = await hunt(await buildWith(bug), seeds);
  if (finding === undefined) missed += 1;
  const cells = finding === undefined ? ["not found", "", "", ""] : Object.values(finding);
  process.stdout.write(`| ${[bug.name, ...cells].join(" | ")} |\n`);
}
process.stdout.write(`\n${chosen.length - missed} of ${chosen.length} were found by the seeds ${seeds}.\n`);
process.exitCode = chosen.length > 0 && missed === 0 ? 0 : 1;
