import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { serve } from "@resumable-mcp/server-http";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, onTestFinished, test } from "vitest";
import { projectFolder, start } from "./program.js";

/** What `doctor` says, and how it exits: by default of a port that is free and of no host's file. */
async function examine(folder: string, ...args: readonly string[]) {
  const run = start(["doctor", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], folder);
  const code = await run.ended;
  const lines = run.output().trimEnd().split("\n");
  return { code, lines, problems: lines.filter((line) => /^\w+ +problem/.test(line)) };
}

async function beginTask(store: Store): Promise<string> {
  const facts = { owner: "client:a", tool: "count", toolVersion: "1", key: null, input: {}, detached: true };
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  const task = { id: "task-of-doctor-1", ttlMs: 1_000, ...facts };
  return (await store.createTask({ task, reuseResultMs: 0, now })).snapshot.record.id;
}

/** All files below a folder, with what would change if they were written. */
async function filesIn(folder: string) {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const facts = names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs]);
  return Promise.all(facts);
}

test("a store is described with the process that has it open, and nothing is changed", async () => {
  const folder = await projectFolder();
  const directory = join(folder, "store");
  const none = await examine(folder, "--store", directory);
  expect(none).toMatchObject({ code: 0, problems: [] });
  expect(none.lines[1]).toBe(`store     ok       ${directory} holds no store yet: the first server makes it`);
  const store = createFsStore({ directory });
  await beginTask(store);
  const open = await examine(folder, "--store", directory);
  expect(open.lines[1]).toBe(
    `store     ok       ${directory}: 1 tasks, 1 unfinished, open in process ${process.pid} on ${hostname()}`,
  );
  await store.close();
  const before = await filesIn(directory);
  const closed = await examine(folder, "--store", directory);
  expect(closed.lines[1]).toContain("1 tasks, 1 unfinished, no process has it open");
  expect(closed.code).toBe(0);
  expect(await filesIn(directory)).toEqual(before);
});

test("a damaged store, one of another layout and a database that does not answer are problems", async () => {
  const folder = await projectFolder();
  const directory = join(folder, "store");
  const store = createFsStore({ directory });
  const id = await beginTask(store);
  await store.close();
  const names = await readdir(directory, { recursive: true });
  const journal = names.find((name) => name.includes(id) && name.endsWith(".jsonl"));
  await writeFile(join(directory, journal ?? "none"), "not a journal\n");
  const before = await filesIn(directory);
  const damaged = await examine(folder, "--store", directory);
  expect(damaged.code).toBe(1);
  expect(damaged.problems).toEqual([expect.stringMatching(/^store .*1 tasks.*Run resumable-mcp store check/)]);
  expect(await filesIn(directory)).toEqual(before);

  await writeFile(join(directory, "format.json"), '{ "layout": 99 }');
  const newer = await examine(folder, "--store", directory);
  expect([newer.code, newer.problems]).toEqual([1, [expect.stringContaining("layout")]]);

  const away = await examine(folder, "--store", "postgres://ada:secret@127.0.0.1:1/tasks");
  expect([away.code, away.problems]).toEqual([1, [expect.stringMatching(/^database .*Check that the server runs/)]]);
  expect(away.lines.join()).not.toContain("secret");
});

test("a port in use is a problem, unless a server of this toolkit has it", async () => {
  const folder = await projectFolder();
  const other = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const taken = await examine(folder, "--port", `${port}`);
  expect(taken.problems).toEqual([
    `port      problem  Port ${port} on 127.0.0.1 is in use. Choose another with --port, or 0 for any free one.`,
  ]);
  expect(taken.code).toBe(1);

  const definition = { name: "own", version: "1.0.0", tools: [], setup: () => {} };
  const server = await serve({ definition, store: createMemoryStore(), port: 0 });
  onTestFinished(() => server.close());
  await writeFile(join(folder, "resumable.config.mjs"), `export default { port: ${new URL(server.url).port} };`);
  const ours = start(["doctor", "tools.mjs"], folder);
  expect([await ours.ended, ours.output()]).toEqual([0, expect.stringContaining("a server answers there")]);
});

test("servers of ours in the files of hosts are listed; a command, a module and a file that are not right are problems", async () => {
  const folder = await projectFolder();
  await mkdir(join(folder, "home", ".cursor"), { recursive: true });
  const module = join(folder, "tools.mjs");
  await writeFile(module, `export { default } from "./own.mjs";`);
  await writeFile(join(folder, "own.mjs"), `export default { name: "own", version: "1.0.0", tools: [], setup() {} };`);
  expect(await start(["install", "cursor", module, "--yes"], folder).ended).toBe(0);
  const installed = await examine(folder);
  expect([installed.code, installed.lines.at(-1)]).toEqual([0, "hosts     ok       own in cursor"]);

  await rm(module);
  const files = {
    ".gemini/settings.json":
      '{ "mcpServers": { "a": { "command": "/gone/node", "args": ["/x/resumable-mcp/cli.cjs"] } } }',
    ".codex/config.toml": '[mcp_servers.other]\ncommand = "/gone/too"\n',
    ".continue/config.yaml": "mcpServers:\n  - name: b\n    command: none-such\n    args: [resumable-mcp, serve]\n",
    ".qwen/settings.json": "{",
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, "home", name, ".."), { recursive: true });
    await writeFile(join(folder, "home", name), text);
  }
  const { code, problems } = await examine(folder);
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringContaining(`own: it starts ${module}, which is not there. Run resumable-mcp install cursor MODULE`),
    expect.stringContaining("a: it starts /gone/node, which is not there. Run resumable-mcp install gemini-cli MODULE"),
    expect.stringMatching(/\.qwen\/settings\.json is not valid JSON/),
    expect.stringContaining("b: it starts none-such, which is not there"),
  ]);
  expect(await readFile(join(folder, "home", ".qwen/settings.json"), "utf8")).toBe("{");
});
