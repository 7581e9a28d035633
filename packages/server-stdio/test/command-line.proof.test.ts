import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { afterwards, cli, connectHost, runToEnd, testFolder, toolsModule } from "./stdio-host.js";

test("prints the version of its package", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(await runToEnd(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("docs/options.md explains each flag and each setting", async () => {
  const page = await readFile(new URL("../../../docs/options.md", import.meta.url), "utf8");
  const { stdout } = await runToEnd(["--help", "all"]);
  const known = [...stdout.matchAll(/--[a-z-]+|(?<=^ {2}RESUMABLE_\w+, )\w+/gm)].map(([name]) => name);
  expect(known.length).toBeGreaterThan(20);
  const isExplained = (flag: string) => new RegExp(`\`${flag}(?![a-z-])`).test(page);
  expect(known.filter((flag) => !isExplained(flag) && flag !== "--version")).toEqual([]);
});

test("says in one sentence what is wrong", async () => {
  const broken = join(await testFolder(), "broken.mjs");
  await writeFile(broken, "export default [];");
  const cases: [string[], number, RegExp][] = [
    [
      ["/nowhere/tools.mjs"],
      1,
      /^resumable-mcp: Cannot find the tools module \/nowhere\/tools\.mjs\. Check the path\.\n$/,
    ],
    [[broken], 1, /exports no tools/],
    [[toolsModule, "--frobnicate"], 2, /Unknown option '--frobnicate'/],
    [[], 2, /Name one tools module/],
    [[toolsModule, "--command", "node x.js"], 2, /not both/],
    [["--command", "node 'x.js"], 2, /--command is empty or has an open quote/],
    [[toolsModule, "--max-running", "0"], 2, /--max-running must be a whole number from 1 to/],
    [[toolsModule, "--install", "cursor", "--keep-finished", "long"], 2, /--keep-finished must be a time such as/],
    [[toolsModule, "--print-config", "notepad"], 2, /Unknown host "notepad"\. The hosts are claude-desktop,/],
    [[toolsModule, "--install", "claud"], 2, /Unknown host "claud"\. Did you mean claude-/],
    [[toolsModule, "--install", "cursor", "--uninstall", "cursor"], 2, /--install or --uninstall, not both/],
    [[toolsModule, "--install", "claude-desktop", "--scope", "project"], 2, /has no configuration file for a project/],
    [["--command", "node x.js", "--install", "cursor"], 2, /Give --name: the host needs a name/],
  ];
  for (const [args, code, sentence] of cases) {
    const ended = await runToEnd(args);
    expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect(ended.stdout).toBe("");
    expect(ended.code).toBe(code);
  }
});

test("prints what hosts need, with absolute paths", async () => {
  for (const host of ["claude-desktop", "claude-code", "cursor", "vscode", "zed"]) {
    const { stdout } = await runToEnd([toolsModule, "--print-config", host, "--handoff", "--store", "/data/tasks"]);
    const { mcpServers, servers, context_servers } = JSON.parse(stdout);
    const entry = (mcpServers ?? servers ?? context_servers)["crash-tools"];
    expect(entry.command).toBe(process.execPath);
    expect(entry.args).toEqual([cli, toolsModule, "--name", "crash-tools", "--store", "/data/tasks", "--handoff"]);
  }
});

test("a command ends also where the tools module keeps something open", async () => {
  const folder = await testFolder();
  const module = join(folder, "tools.mjs");
  const source = JSON.stringify(pathToFileURL(toolsModule).href);
  await writeFile(module, `export { default } from ${source};\nsetInterval(() => {}, 60_000);\n`);
  const ended = await runToEnd([module, "--print-config", "cursor"]);
  expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, { mcpServers: expect.anything() }]);
});

test("a host starts the server with all flags that it is installed with, those that protect its store above all", async () => {
  const place = ["--store", "/data/tasks"];
  const shown = [
    "--handoff",
    "--control-tools",
    "all",
    "--mask-errors",
    "--no-supervise",
    "--otlp",
    "http://127.0.0.1:4318/",
  ];
  const args = [toolsModule, "--print-config", "cursor", ...place, ...shown, "--keyring", "keys/keyring"];
  const { stdout } = await runToEnd(args);
  const entry = JSON.parse(stdout).mcpServers["crash-tools"];
  const given = [...place, ...shown, "--keyring", resolve("keys/keyring"), "--name", "crash-tools"];
  expect(entry.args.slice(2).toSorted()).toEqual(given.toSorted());
});

test("the control tools that are listed are those of the flag; the first answer fits them", async () => {
  const listed = async (...flags: string[]) => {
    const { client } = await connectHost([toolsModule, "--store", await testFolder(), ...flags]);
    const { tools } = await client.listTools();
    const control = tools.map(({ name }) => name).filter((name) => /_tasks?$/.test(name));
    return { control: control.length, names: client.getInstructions()?.includes("wait_for_task") };
  };
  expect(await listed()).toEqual({ control: 5, names: true });
  expect(await listed("--control-tools", "none")).toEqual({ control: 0, names: false });
});

test("quotas reach the server, and the host's configuration (G11)", async () => {
  const running = ["--max-running", "4"];
  const env = { RESUMABLE_MCP_MAX_STORE_TASKS: "1" };
  const { client } = await connectHost([toolsModule, "--store", await testFolder(), ...running], { env });
  const count = (n: number) => client.callTool({ name: "count_to", arguments: { n } });
  expect(await count(1)).toMatchObject({ structuredContent: { counted: 1 } });
  const error = { code: "QUOTA_EXCEEDED", message: expect.stringContaining("maxStoreTasks = 1") };
  expect(await count(2)).toMatchObject({ isError: true, structuredContent: { error } });
  const given = [...running, "--keep-finished", "30d", "--recover-after", "5m"];
  const { stdout } = await runToEnd([toolsModule, "--print-config", "cursor", ...given]);
  const { args } = JSON.parse(stdout).mcpServers["crash-tools"];
  expect(new Set(args.slice(-given.length))).toEqual(new Set(given));
});

test("works in the root folder with an empty PATH, and keeps its tasks in the user's data folder", async () => {
  const home = await testFolder();
  const env = { PATH: "", HOME: home, XDG_DATA_HOME: "" };
  const { client } = await connectHost([toolsModule], { cwd: "/", env });
  expect(await client.callTool({ name: "count_to", arguments: { n: 2 } })).toMatchObject({
    structuredContent: { counted: 2 },
  });
  expect(await readdir(join(home, ".local/share/resumable-mcp/crash-tools"))).toContain("tasks");
});

/** A tools module without `setup`, whose tool prints. */
async function chattyModule(): Promise<string> {
  const core = import.meta.resolve("@resumable-mcp/core").replace("/src/index.ts", "/dist/index.js");
  const module = join(await testFolder(), "chatty.mjs");
  await writeFile(
    module,
    `import { defineTool } from ${JSON.stringify(core)};
     const run = async () => { console.log("loud"); process.stdout.write("louder\\n"); return "quiet"; };
     export default [defineTool({ name: "chat", description: "Chats.", input: { type: "object" }, run })];`,
  );
  return module;
}

test("what a tool prints goes to stderr: stdout holds nothing but messages", async () => {
  const module = await chattyModule();
  for (const mode of [[], ["--no-supervise"]]) {
    const { client, output } = await connectHost([module, "--store", await testFolder(), ...mode]);
    const problems: Error[] = [];
    client.onerror = (error) => void problems.push(error);
    expect(await client.callTool({ name: "chat" })).toMatchObject({ content: [{ text: "quiet" }] });
    await client.close();
    expect(problems).toEqual([]);
    expect(output.stderr).toContain("loud\nlouder\n");
  }
});

test("a program that lost a part of itself says so once, and is not started again", async () => {
  const alone = join(await testFolder(), "cli.cjs");
  await copyFile(cli, alone);
  const args = [alone, await chattyModule(), "--store", await testFolder()];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  afterwards(async () => child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  }
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  const [code] = await once(child, "close");
  expect([code, JSON.parse(written.stdout), written.stderr]).toEqual([
    78,
    { jsonrpc: "2.0", id: 1, result: expect.objectContaining({ protocolVersion: "2025-11-25" }) },
    expect.stringMatching(
      /^resumable-mcp: The server's code cannot be loaded \(.*\)\. Install this package again\.\n$/,
    ),
  ]);
});

test("a host that closes its end of stdout has disconnected: the program ends by itself, without a stack", async () => {
  const args = [cli, toolsModule, "--no-supervise", "--store", await testFolder()];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  afterwards(async () => child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "close");
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
  expect((await ended)[0]).toBe(0);
  expect(stderr).not.toMatch(/\n\s+at /);
});
