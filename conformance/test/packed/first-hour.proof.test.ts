import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openProject } from "../../src/packed-project.js";
import { killAll, start } from "../../src/program.js";
import { manifestOf, published } from "../../src/repository.js";
import { examplesIn } from "../readme-examples.js";
import { freePort } from "./free-port.js";
import { startRegistry } from "./local-registry.js";

const limits = { timeout: 240_000 };
const project = openProject(inject("projectDirectory"));
const quiet = { npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" };
let registry: Awaited<ReturnType<typeof startRegistry>>;
/** Outside the project: npm and Node look for packages in the folders above too. */
let home: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "first-hour-")));
  const upstream = await start("npm", ["config", "get", "registry"], { env: project.env }).succeeded();
  const packed = published.map(async (folder) => ({
    manifest: JSON.parse(await project.installedManifest(manifestOf(folder).name)),
    tarball: join(project.directory, "packed", `${folder.split("/")[1]}.tgz`),
  }));
  registry = await startRegistry(await Promise.all(packed), upstream.trim());
}, limits.timeout);

afterAll(async () => {
  await killAll();
  await registry.close();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}, limits.timeout);

/** What a newcomer's shell has, whose registry has the packages. */
const options = (cwd: string) => ({
  cwd,
  env: { ...project.env, ...quiet, npm_config_registry: registry.url, npm_config_prefer_offline: "true" },
});

/** What `npm install resumable-mcp zod` may weigh. */
const heaviest = { packages: 30, bytes: 30_000_000 };

/** The sum of the sizes of all files below a folder. */
async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The file that the README asks for, and the commands below it. */
function writtenTool(): { readonly module: string; readonly commands: readonly string[] } {
  const examples = examplesIn("README.md");
  const at = examples.findIndex(({ code }) => code.startsWith("// tools.ts\n"));
  const [module, commands] = examples.slice(at, at + 2);
  if (at < 0 || module === undefined || commands?.language !== "sh") throw new Error("README.md has no written tool.");
  return { module: module.code, commands: commands.code.trimEnd().split("\n") };
}

/**
 * A shell that reads what is typed apart from its input: a job with the same input could take lines away from it. Its jobs are
 * groups of processes, as in a terminal; `bash -m` gives up on them where there is no terminal.
 */
const loop = `set -m; exec 3<&0 0</dev/null; while IFS= read -r line <&3; do eval "$line" 3<&-; done`;

/** A shell that is typed into, as at a terminal. */
function openShell(cwd: string) {
  const program = start("bash", ["-c", loop], { ...options(cwd), input: true });
  const { stdin } = program.child;
  return {
    program,
    type: async (line: string) => {
      if (stdin?.write(`${line}\n`) === false) await once(stdin, "drain");
    },
    said: (pattern: RegExp) =>
      program.until(String(pattern), () => pattern.exec(program.stderr() + program.stdout()) ?? undefined),
  };
}

test.concurrent(
  "the README, line by line in an empty folder, ends with the result of a call whose server was killed (G1)",
  limits,
  async ({ onTestFinished }) => {
    const directory = join(home, "empty");
    await mkdir(directory);
    const port = await freePort();
    const { module, commands } = writtenTool();
    await writeFile(join(directory, "tools.ts"), module);
    expect(commands.length).toBeLessThanOrEqual(10);
    const shell = openShell(directory);
    /** What has to be seen before a reader types the next line. */
    const answers = [
      /added \d+ packages/,
      // The call is typed at once: it waits for the server, which is starting.
      undefined,
      /Counted 3\/10/,
      undefined,
      /listening on [\s\S]*listening on /,
      /\{"counted":10\}/,
    ];
    expect(commands).toHaveLength(answers.length);
    // Its jobs are groups of their own, which outlive a shell that a failure ends.
    onTestFinished(() => shell.program.stop("SIGTERM"));
    await shell.type("trap 'for job in $(jobs -p); do kill -9 -- -$job; done' EXIT TERM");
    for (const [index, command] of commands.entries()) {
      await shell.type(command.replaceAll("8001", port).replace("serve http ./tools.ts", `$& --port ${port}`));
      const answer = answers[index];
      if (answer !== undefined) await shell.said(answer);
    }
    await shell.type("kill %3; wait; exit 0");
    expect(await shell.program.ended).toBe(0);
    const [, added] = /added (\d+) packages/.exec(shell.program.stdout()) ?? [];
    expect(Number(added)).toBeLessThanOrEqual(heaviest.packages);
    expect(await bytesIn(join(directory, "node_modules"))).toBeLessThanOrEqual(heaviest.bytes);
    // Without the SDK of the 2025 era, as `resumable-mcp bundle` and a user's own bundler do it.
    await start("npm", ["install", "--no-save", "esbuild@0.27"], options(directory)).succeeded();
    const leftOut = ["jiti", "@resumable-mcp/store-postgres"].map((name) => `--external:${name}`);
    const bundling = [
      "esbuild",
      "--bundle",
      "--platform=node",
      "--format=esm",
      "--splitting",
      "--outdir=bundle",
      ...leftOut,
    ];
    const program = "node_modules/@resumable-mcp/server-stdio/dist/cli.cjs";
    await start("npx", [...bundling, program], options(directory)).succeeded();
    const store = ["resumable-mcp", "tasks", "--store", "postgres://app@127.0.0.1:1/app"];
    const refused = start("npx", store, options(directory));
    expect(await refused.ended).not.toBe(0);
    expect(refused.stderr()).toContain("npm install @resumable-mcp/store-postgres");
    await writeFile(join(directory, "setup.mjs"), 'export default { name: "s", version: "1", tools: [], setup() {} };');
    const lacking = start("npx", ["resumable-mcp", "serve", "stdio", "./setup.mjs"], {
      ...options(directory),
      input: true,
    });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    lacking.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    await lacking.seen(/npm install @modelcontextprotocol\/sdk/);
    await lacking.stop("SIGTERM");
    const numbers = [...shell.program.stderr().matchAll(/Counted (\d+)\/10/g)].map(([, number]) => Number(number));
    expect(new Set(numbers).size).toBe(10);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  },
);

test.concurrent(
  "a created project passes its own test and a strict compiler; its Dockerfile's steps run",
  limits,
  async () => {
    const directory = join(home, "created");
    await mkdir(directory);
    await start("npm", ["create", "--yes", "resumable-mcp@latest", "my-tools"], options(directory)).succeeded();
    const folder = join(directory, "my-tools");
    const config = JSON.parse(await readFile(join(folder, "tsconfig.json"), "utf8"));
    expect(config.compilerOptions).toMatchObject({ strict: true, noUncheckedIndexedAccess: true });
    const stages = await dockerStages(folder);
    const image = join(directory, "image");
    await mkdir(image);
    // The stage that builds, in an empty folder. What it copies is of the project.
    for (const { instruction, words } of stages[0] ?? []) {
      if (instruction === "RUN" && words.includes("prune")) {
        const tested = await start("npm", ["test"], options(image)).succeeded();
        expect(tested).toMatch(/^# pass 1$|^ℹ pass 1$/m);
        expect(tested).not.toContain("Warning");
        // All declarations, where no SDK of the 2025 era is installed.
        await start("npx", ["tsc", "--noEmit", "--skipLibCheck", "false"], options(image)).succeeded();
      }
      if (instruction === "RUN") await start("sh", ["-c", words], options(image)).succeeded();
      if (instruction === "COPY") await copy(folder, words, image);
    }
    // What runs in the end, with a place for its tasks and its tokens.
    const [, command] = /^CMD (\[.*\])$/m.exec(await readFile(join(folder, "Dockerfile"), "utf8")) ?? [];
    const [program = "", ...words]: string[] = JSON.parse(command ?? "[]");
    await writeFile(join(image, "tokens"), "abcdefghijkl0123456789 me\n", { mode: 0o600 });
    const args = words.map((word) => word.replace("/data/tasks", "tasks").replace("/run/secrets/tokens", "tokens"));
    const server = start(join(image, program), [...args, "--port", "0"], options(image));
    const [, port = ""] = await server.seen(/listening on http:\/\/0\.0\.0\.0:(\d+)\/mcp/);
    const url = `http://127.0.0.1:${port}/mcp`;
    const call = ["--url", url, "call", "fetch_pages", "pages=2"];
    const env = { ...options(image).env, RESUMABLE_MCP_TOKEN: "abcdefghijkl0123456789" };
    const printed = await start(join(image, program), call, { cwd: image, env }).succeeded();
    expect(JSON.parse(printed)).toEqual({ pages: 2, characters: 30 });
    await server.stop("SIGTERM");
  },
);

interface Step {
  readonly instruction: string;
  readonly words: string;
}

/** The instructions of a Dockerfile, by stages. */
async function dockerStages(folder: string): Promise<readonly (readonly Step[])[]> {
  const lines = (await readFile(join(folder, "Dockerfile"), "utf8")).split("\n");
  const stages: Step[][] = [];
  for (const line of lines) {
    const [, instruction = "", words = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === "FROM") stages.push([]);
    stages.at(-1)?.push({ instruction, words });
  }
  return stages;
}

/** `COPY SOURCE… TARGET`, where a star matches any end of a name. */
async function copy(from: string, words: string, to: string): Promise<void> {
  const [source = "", target = ""] = words.split(" ");
  const name = source.replace("*", "");
  const isFolder = target !== "./";
  await cp(join(from, name), join(to, isFolder ? target : name), { recursive: true });
}
