import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { afterwards, runToEnd, startProgram, startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

async function moduleOf(source: string, name = "module.mjs"): Promise<string> {
  const file = join(await testFolder(), name);
  await writeFile(file, source);
  return file;
}

/** A module that imports a neighbour, in which the mistake is. */
async function importing(source: string): Promise<string> {
  const folder = await testFolder();
  await writeFile(join(folder, "imported.mjs"), source);
  await writeFile(join(folder, "module.mjs"), 'import "./imported.mjs";\nexport default [];\n');
  return join(folder, "module.mjs");
}

/** One sentence for people: no stack, no more than the usage below it. */
function expectSentence({ stderr }: { stderr: string }, sentence: RegExp) {
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
}

test("docs/options.md explains each flag and each setting", async () => {
  const page = await readFile(new URL("../../../docs/options.md", import.meta.url), "utf8");
  const { stdout } = await runToEnd(["--help", "all"]);
  const known = [...stdout.matchAll(/--[a-z-]+|(?<=^ {2}RESUMABLE_\w+, )\w+/gm)].map(([name]) => name);
  expect(known.length).toBeGreaterThan(30);
  const isExplained = (flag: string) => new RegExp(`\`${flag}(?![a-z-])`).test(page);
  expect(known.filter((flag) => !isExplained(flag) && flag !== "--version")).toEqual([]);
});

test("says what is wrong with a tools module", async () => {
  const cases: [string, RegExp][] = [
    ["/nowhere/tools.mjs", /Cannot find the tools module \/nowhere\/tools\.mjs\. Check the path\.\n$/],
    [await moduleOf("export const tools = [];"), /has no default export/],
    [await moduleOf("export default [];"), /exports no tools/],
    [await moduleOf("export default 7;"), /neither an array of tools nor a server/],
    [await moduleOf("export default [{ name: 'x' }];"), /Entry 0 of the tools .* is not a tool/],
    [
      await moduleOf("export default [];", "module.cjs"),
      /could not be loaded: Unexpected token 'export'.* \.mjs, or .* \(\/.*\/module\.cjs:1\)\n$/,
    ],
    [await moduleOf("throw new Error('broken\\nlines');"), /could not be loaded: broken \(\/.*\/module\.mjs:1:7\)\n$/],
    [await moduleOf("export default [\n  {\n"), /: Unexpected end of input \(\/.*\/module\.mjs:3\)\n$/],
    [await moduleOf("\nconst n: number = (1;", "module.ts"), /could not be loaded: .* \(\/.*\/module\.ts:2(:20)?\)\n$/],
    [await moduleOf("\nnothing.at.all();", "module.ts"), /: nothing is not defined \(\/.*\/module\.ts:2:1\)\n$/],
    [await importing("export const a = (;"), /: Unexpected token ';' \(\/.*\/imported\.mjs:1\)\n$/],
  ];
  for (const [module, sentence] of cases) {
    const ended = await runToEnd([module, "--port", "0"]);
    expectSentence(ended, sentence);
    expect(ended.code).toBe(1);
  }
});

test("serves a tools module in TypeScript, with what Node cannot strip and imports that name what it is compiled to", async () => {
  const imported = fileURLToPath(new URL("typed-tools-module.js", import.meta.url));
  const module = await moduleOf(
    `import tools from ${JSON.stringify(imported)};\nenum Kept { all = "all" }\nexport default Kept.all === "all" ? tools : [];\n`,
    "module.ts",
  );
  const server = await startServer([module, "--port", "0", "--store", await testFolder()]);
  const { client } = await connectStock(server.url);
  const result = await client.callTool({ name: "double", arguments: { n: 4 } });
  expect(result.structuredContent).toEqual({ doubled: 8 });
  await client.close();
  expect(await server.stop("SIGTERM")).toMatchObject({ code: 0 });
});

test("prints the version of its package", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  expect(await runToEnd(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("refuses a wrong command line with the usage", async () => {
  const cases: [string[], RegExp][] = [
    [[toolsModule, "--frobnicate"], /: Unknown option '--frobnicate'\. --help lists the options\.\n$/],
    [[], /Name one tools module/],
    [[toolsModule, "--port", "high"], /--port must be a whole number from 0 to 65535/],
    [[toolsModule, "--recover-after", "all"], /--recover-after must be now, never, or a time such as /],
    [[toolsModule, "--max-running", "0"], /--max-running must be a whole number from 1 to/],
    [[toolsModule, "--prot", "0"], /: Unknown option '--prot'\. Did you mean --port\? --help lists the options\.\n$/],
    [
      [toolsModule, "--retry", "5s"],
      /: --retry is not a flag: set RESUMABLE_MCP_RETRY, or retry in the settings file\.\n$/,
    ],
    [[toolsModule, "--ui", "--public-url", "https://x.example/mcp"], /Without authentication --ui is for the user of/],
    [[toolsModule, "--host", "0.0.0.0"], /Give --authorization-server or --token-file, or --insecure/],
  ];
  for (const [args, sentence] of cases) {
    const ended = await runToEnd(args);
    expectSentence(ended, sentence);
    expect(ended.code).toBe(2);
  }
});

test("refuses a variable that does not fit, by both of its names", async () => {
  const cases: [Record<string, string>, string][] = [
    [{ VERSION_WAIT: "never" }, "versionWait (RESUMABLE_MCP_VERSION_WAIT) must be a time such as "],
    [{ MAX_STORE_TASKS: "0" }, "maxStoreTasks (RESUMABLE_MCP_MAX_STORE_TASKS) must be a whole number from 1 to"],
    [{ STORE_DURABILITY: "all" }, "storeDurability (RESUMABLE_MCP_STORE_DURABILITY) must be machine or process"],
    [{ UI_CLIENT_ID: "panel" }, "uiClientId (RESUMABLE_MCP_UI_CLIENT_ID) is for users who sign in"],
    [{ OPERATOR_SCOPE: "operate" }, "operatorScope (RESUMABLE_MCP_OPERATOR_SCOPE) is for tokens"],
    [{ UI: "true", PANEL: "false" }, "leave out panel: false"],
  ];
  for (const [variables, sentence] of cases) {
    const env = Object.entries(variables).map(([name, value]) => [`RESUMABLE_MCP_${name}`, value]);
    const ended = await runToEnd([toolsModule], Object.fromEntries(env));
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(sentence)]);
  }
});

test("says that a port is in use, and that a store cannot be used", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  afterwards(() => new Promise((resolve) => taken.close(resolve)));
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const store = await testFolder();
  const inUse = await runToEnd([toolsModule, "--port", String(port), "--store", store]);
  expectSentence(inUse, /Port \d+ on 127\.0\.0\.1 is in use\./);
  expect(inUse.code).toBe(1);
  const noFolder = await runToEnd([toolsModule, "--port", "0", "--store", join(toolsModule, "below-a-file")]);
  expectSentence(noFolder, /below-a-file/);
  expect(noFolder.code).toBe(1);
});

test("prints address and tools on stderr, serves with and without a slash, and stops when asked to", async () => {
  const server = await startServer([toolsModule, "--port", "0", "--store", await testFolder()]);
  const { client } = await connectStock(`${server.url}/`);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("count_to");
  const call = client.callTool({ name: "count_to", arguments: { n: 100_000 } }).catch(() => {});
  await client.callTool({ name: "get_session_info" });
  const { code, stderr, stdout } = await server.stop("SIGINT");
  expect(code).toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^tool: count_to: \w.*\ntool: ask_name: \w.*\n(tool: .*\n)*control tools: wait_for_task,/m);
  expect(stderr).toContain("Server stopped by user");
  await client.close();
  await call;
});

test("a program in front that sends a signal of its own, as the terminal has sent one, cuts off no task (G12)", async () => {
  const core = new URL("../../core/dist/index.js", import.meta.url).href;
  const module = await moduleOf(`
      import { setTimeout as sleep } from "node:timers/promises";
      import { defineTool } from ${JSON.stringify(core)};
      export default [defineTool({
        name: "walk", description: "Walks.", input: { type: "object" },
        async *run() { for (let at = 1; ; at++) { await sleep(300); yield { progress: at }; } },
      })];`);
  const directory = await testFolder();
  const { child, said } = startProgram([module, "--port", "0", "--store", directory]);
  const { client } = await connectStock(await said(/^listening on (\S+)$/));
  let called: Promise<unknown> = Promise.resolve();
  await new Promise<void>((onprogress) => {
    called = client.callTool({ name: "walk", arguments: {} }, undefined, { onprogress: () => onprogress() });
    called.catch(() => {});
  });
  child.kill("SIGINT");
  await said(/^Server stopped by user$/);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const { tasks } = await createFsStore({ directory }).listTasks({ limit: 10 });
  const task = await createFsStore({ directory }).getTask(tasks[0]?.id ?? "");
  expect(task?.record).toMatchObject({ live: false, crashes: 0 });
  await client.close();
  await called.catch(() => {});
});

test("with a token file only those who have a token may call, and each sees only their own tasks", async () => {
  const tokens = join(await testFolder(), "tokens");
  const [alices, bobs] = ["alices-token-0123456789", "bobs-token-0123456789abc"];
  await writeFile(tokens, `# who may call\n${alices} alice\n${bobs} bob\n`, { mode: 0o600 });
  const args = [toolsModule, "--port", "0", "--store", await testFolder(), "--token-file", tokens];
  const server = await startServer(args);
  const refused = await fetch(server.url, { method: "POST", body: "{}" });
  expect(refused.status).toBe(401);
  // Metadata could lead to no authorization server.
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect((await fetch(new URL("/.well-known/oauth-protected-resource/mcp", server.url))).status).toBe(404);

  const alice = (await connectStock(server.url, { token: alices })).client;
  const bob = (await connectStock(server.url, { token: bobs })).client;
  const done = await alice.callTool({ name: "count_to", arguments: { n: 2 } });
  const task_id = done._meta?.["resumable-mcp/task_id"];
  // By every other way: `two-owners/two-owners.proof.test.ts`.
  const seen = await bob.callTool({ name: "get_task", arguments: { task_id, include: ["result"] } });
  expect(seen).toMatchObject({ isError: true, structuredContent: { error: { code: "TASK_NOT_FOUND" } } });
  const listed = await bob.callTool({ name: "list_session_tasks", arguments: { client_id: "alice" } });
  expect(listed).toMatchObject({ structuredContent: { total_tasks: 0, tasks: [] } });
  const own = await alice.callTool({ name: "list_session_tasks", arguments: {} });
  expect(own).toMatchObject({ structuredContent: { total_tasks: 1 } });
});

test("requests by a foreign name or from a foreign page are refused; its health is reported", async () => {
  const server = await startServer([
    toolsModule,
    "--port",
    "0",
    "--store",
    await testFolder(),
    "--allowed-host",
    "tools.example",
  ]);
  const status = async (path: string, headers: Record<string, string>) =>
    (await fetch(new URL(path, server.url), { headers })).status;
  const named = async (host: string) => {
    // `fetch` sends the name of the address.
    const [response]: IncomingMessage[] = await once(get(server.url, { headers: { host } }), "response");
    response?.resume();
    return response?.statusCode;
  };
  expect([await named("evil.example"), await named("tools.example")]).toEqual([403, 406]);
  expect(await status("/mcp", { origin: "http://evil.example" })).toBe(403);
  expect(await status("/mcp", { origin: "null" })).toBe(403);
  expect(await status("/mcp", { origin: "https://tools.example", accept: "text/event-stream" })).toBe(400);
  expect(await status("/healthz", {})).toBe(200);
  expect(await status("/readyz", {})).toBe(200);
  expect(await status("/elsewhere", {})).toBe(404);
  // Another program of this machine serves it.
  expect(await status("/mcp", { origin: "http://localhost:5173" })).toBe(403);
  const { origin } = new URL(server.url);
  const allowed = await fetch(server.url, { method: "OPTIONS", headers: { origin } });
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
});

test.skipIf(process.platform === "win32")(
  "a new token is printed with its line, and counts when the file has it, without a restart; SIGHUP ends nothing",
  async () => {
    const { stdout, code } = await runToEnd(["--new-token", "carol"]);
    const [, token = ""] = /^token, shown this once: (.+)$/m.exec(stdout) ?? [];
    const [, line = ""] = /^line for the token file: (.+)$/m.exec(stdout) ?? [];
    expect([code, line.replace(/[0-9a-f]{64}/, "…")]).toEqual([0, "sha256:… carol"]);
    const tokens = join(await testFolder(), "tokens");
    await writeFile(tokens, "alices-token-0123456789 alice\n", { mode: 0o600 });
    const args = [toolsModule, "--port", "0", "--store", await testFolder(), "--token-file", tokens];
    const server = await startServer(args);
    const statusOf = async (bearer: string) =>
      (await fetch(server.url, { method: "POST", headers: { authorization: `Bearer ${bearer}` }, body: "{}" })).status;
    expect([await statusOf("alices-token-0123456789"), await statusOf(token)]).toEqual([415, 401]);
    await writeFile(tokens, `${line}\n`);
    if (server.pid !== undefined) process.kill(server.pid, "SIGHUP");
    await expect.poll(() => statusOf(token)).toBe(415);
    expect(await statusOf("alices-token-0123456789")).toBe(401);
  },
);
