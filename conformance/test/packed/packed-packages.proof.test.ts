import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "@resumable-mcp/store-postgres/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { entriesOf, openProject } from "../../src/packed-project.js";
import { killAll, type Program } from "../../src/program.js";
import { manifestOf, published } from "../../src/repository.js";
import { runOwnToolDemonstration } from "../../src/seed/own-tool.js";
import { commandsOf, firstExample } from "../readme-examples.js";
import { compile } from "./compile.js";

const exampleTimeoutMs = 240_000;
const limits = { timeout: exampleTimeoutMs };

/** READMEs name the usual port; here every server gets one that is free. */
const usualPort = "8001";

const project = openProject(inject("projectDirectory"));
afterAll(killAll, exampleTimeoutMs);

describe.each(published)("%s, packed", (folder) => {
  const { name, version } = manifestOf(folder);

  test("holds no tests, no sources and nothing that only the workspace understands", limits, async () => {
    const entries = await readdir(join(project.directory, "node_modules", name), {
      recursive: true,
      withFileTypes: true,
    });
    const own = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).split(join("node_modules", name))[1] ?? "")
      // A project of its own is written from there.
      .filter((path) => !path.includes("node_modules") && !path.startsWith("/template/"));
    expect(own).toEqual(expect.arrayContaining(["/README.md", "/LICENSE", "/package.json", "/dist/index.js"]));
    expect(own.filter((path) => !/^\/(dist\/|README\.md$|LICENSE$|package\.json$)/.test(path))).toEqual([]);
    expect(own.filter((path) => /\.test\.|\/tests?\/|[^d]\.tsx?$/.test(path))).toEqual([]);
    const manifest = await project.installedManifest(name);
    expect(manifest).not.toMatch(/workspace:|catalog:|@resumable-mcp\/source/);
    expect(JSON.parse(manifest)).toMatchObject({ name, version, license: "MIT" });
  });
});

test("the terminal client, packed, carries the licences of what its program bundles", async () => {
  const installed = join(project.directory, "node_modules", "@resumable-mcp", "client-tui", "dist");
  const licenses = await readFile(join(installed, "THIRD_PARTY_LICENSES"), "utf8");
  expect(licenses).toMatch(/^ink \S+ \(MIT\)\n\nMIT License/m);
  expect(licenses).toMatch(/^zod \S+ \(MIT\)$/m);
});

test("the core, packed, depends on nothing", async () => {
  expect(JSON.parse(await project.installedManifest("@resumable-mcp/core"))).not.toHaveProperty("dependencies");
});

const everyEntry = published.flatMap(entriesOf);
/** Those that are written in TypeScript. */
const compiled = ["core", "store-fs", "store-postgres", "store-testkit"] as const;

// One run of the compiler for all: it needs more time to begin than for any of them.
beforeAll(async () => {
  const imports = everyEntry.map((entry, index) => `import * as entry${index} from "${entry}";`);
  const names = everyEntry.map((_entry, index) => `entry${index}`).join(", ");
  await project.write("every-entry.ts", `${imports.join("\n")}\nconsole.log([${names}].length);\n`);
  for (const name of compiled) await project.write(`${name}.ts`, firstExample(`packages/${name}`, "ts").code);
  const files = ["every-entry", ...compiled].map((name) => `${name}.ts`);
  await compile(project, files, { skipLibCheck: false });
}, exampleTimeoutMs);

test("every entry can be imported, and its types hold with all declarations checked", limits, async () => {
  expect(everyEntry).toContain("@resumable-mcp/core/testing");
  expect(await project.run("node", "every-entry.js").succeeded()).toBe(`${everyEntry.length}\n`);
});

describe("the first example of", () => {
  test("core runs a tool to its end", limits, async () => {
    expect(await project.run("node", "core.js").succeeded()).toMatch(
      /^completed { flight: 'flight to Oslo', room: 'room in Oslo' }$/m,
    );
  });

  test("store-fs runs a tool to its end and leaves the task in its folder", limits, async () => {
    expect(await project.run("node", "store-fs.js").succeeded()).toContain("{ counted: 1000 }");
    const stats = await project.run("resumable-mcp-store", "stats", "--json").succeeded();
    expect(JSON.parse(stats)).toMatchObject({ total: 1, byStatus: { completed: 1 } });
  });

  test("store-postgres runs a tool to its end and leaves the task in its database", limits, async () => {
    const server = await startPostgres();
    try {
      const code = await readFile(join(project.directory, "store-postgres.js"), "utf8");
      await project.write("store-postgres.js", code.replace("postgres://app@localhost:5432/app", server.url));
      expect(await project.run("node", "store-postgres.js").succeeded()).toContain("{ counted: 1000 }");
      const database = ["--store", server.url, "--json"];
      const moved = ["export", "--store", server.url, "--to", "from-database.jsonl"];
      await project.run("resumable-mcp-store", ...moved).succeeded();
      await project.run("resumable-mcp-store", "import", "from-database.jsonl", "--store", "from-database").succeeded();
      const counts = { total: 1, byStatus: { completed: 1 } };
      for (const store of [database, ["--store", "from-database", "--json"]]) {
        const stats = await project.run("resumable-mcp-store", "stats", ...store).succeeded();
        expect(JSON.parse(stats)).toMatchObject(counts);
      }
    } finally {
      await server.stop();
    }
  });

  test("store-testkit runs every clause on a store", limits, async () => {
    // Which reporter is the default depends on the version of Node.
    const report = await project.run("node", "--test-reporter=tap", "store-testkit.js").succeeded();
    expect(report).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(50);
  });
});

// They mostly wait for tools that take a second for each step.
describe.concurrent("against a server, the first example of", () => {
  test("server-http keeps a call when it is killed and started again", limits, async () => {
    await writeToolsModule();
    const server = await serveToolsModule("0", "store-http");
    const call = project.run("resumable-mcp", "call", "count_to", "n=5", "--url", server.url);
    await call.seen(/\(2\/5\)/);
    server.program.child.kill("SIGKILL");
    await server.program.ended;
    const again = await serveToolsModule(new URL(server.url).port, "store-http");
    expect(JSON.parse(await call.succeeded())).toEqual({ counted: 5 });
    again.program.child.kill();
    expect(await again.program.ended).toBe(0);
  });

  test("server-stdio prints what a host needs, and that serves the tools", limits, async () => {
    await writeToolsModule();
    const [[program, ...words] = [""]] = commandsOf(firstExample("packages/server-stdio", "sh"));
    const printed = JSON.parse(await project.run(program, ...words).succeeded());
    const [server] = Object.values<{ command: string; args: string[] }>(printed.mcpServers);
    const command = [server?.command, ...(server?.args ?? [])].map((word) => `"${word}"`).join(" ");
    expect(await callCountTo(command, 2, "--stdio")).toEqual({ counted: 2 });
  });

  test("client makes a call and follows it to its end", limits, async () => {
    await writeToolsModule();
    const server = await serveToolsModule("0", "store-client");
    const { code } = firstExample("packages/client", "js");
    await project.write("client.js", code.replaceAll(usualPort, new URL(server.url).port));
    const output = await project.run("node", "client.js").succeeded();
    expect(output.match(/^\d+\/10 /gm)).toHaveLength(10);
    expect(output).toContain('{"counted":10}');
  });

  test(
    "the repository keeps a call of the walkthrough's client when both die: one task, and 50 of 50",
    limits,
    async () => {
      const { problems, outcomes, output } = await runOwnToolDemonstration(project);
      expect(problems, output).toEqual([]);
      expect(outcomes.map(({ passed }) => passed)).toEqual([5]);
    },
  );

  test("client-tui makes a call and prints its result", limits, async () => {
    await writeToolsModule();
    const server = await serveToolsModule("0", "store-tui");
    const [[program, ...words] = [""]] = commandsOf(firstExample("packages/client-tui", "sh"));
    const args = words.map((word) => word.replace(usualPort, new URL(server.url).port));
    expect(JSON.parse(await project.run(program, ...args).succeeded())).toEqual({ counted: 10 });
  });
});

const writeToolsModule = () => project.write("tools.mjs", firstExample("packages/server-http", "js").code);

/** Runs the command of server-http's README on a port and a store of its own. */
async function serveToolsModule(port: string, store: string): Promise<{ program: Program; url: string }> {
  const [[name, ...words] = [""]] = commandsOf(firstExample("packages/server-http", "sh"));
  const program = project.run(name, ...words, "--port", port, "--store", store);
  const [, url = ""] = await program.seen(/listening on (\S+)/);
  return { program, url };
}

async function callCountTo(server: string, n: number, flag = "--url"): Promise<unknown> {
  return JSON.parse(await project.run("resumable-mcp", "call", "count_to", `n=${n}`, flag, server).succeeded());
}
