import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ElicitRequestSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import {
  afterwards,
  childrenOf,
  cli,
  connectHost,
  isRunning,
  killServer,
  progressTo,
  testFolder,
  toolsModule,
} from "./stdio-host.js";

const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test("G5 a call in flight survives two SIGKILLs of the server: progress rises without gap or repeat", async () => {
  const { client, transport } = await connectHost([toolsModule, "--store", await testFolder()]);
  const seen = progressTo(client);
  const kills: Promise<void>[] = [];
  const onprogress = ({ progress }: Progress) => {
    if (progress === 5 || progress === 20) kills.push(killServer(transport.pid));
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, { onprogress });
  await Promise.all(kills);
  expect(kills).toHaveLength(2);
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect(seen).toEqual(count(40));
  const items = await client.callTool({
    name: "get_task_items",
    arguments: { task_id: result._meta?.["resumable-mcp/task_id"] },
  });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
});

test("an ordinary tool in flight at the kill runs once, and its caller learns that the outcome is unknown", async () => {
  const folder = await testFolder();
  const file = join(folder, "lines.txt");
  const { client, transport } = await connectHost([toolsModule, "--store", folder]);
  const onprogress = () => void killServer(transport.pid);
  const result = await client.callTool({ name: "append_line", arguments: { file } }, undefined, { onprogress });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("it may or may not have taken effect. Check before calling again.") }],
  });
  expect(await readFile(file, "utf8")).toBe("ran\n");
  expect(await client.callTool({ name: "count_to", arguments: { n: 1 } })).toMatchObject({
    structuredContent: { counted: 1 },
  });
});

test("G9 a question survives the server's death: it is shown once, and its answer reaches the new process", async () => {
  const args = [toolsModule, "--store", await testFolder()];
  const { client, transport } = await connectHost(args, { capabilities: { elicitation: {} } });
  let shown = 0;
  client.setRequestHandler(ElicitRequestSchema, async () => {
    shown += 1;
    await killServer(transport.pid);
    return { action: "accept" as const, content: { name: "Ada" } };
  });
  expect(await client.callTool({ name: "ask_name", arguments: {} })).toMatchObject({ content: [{ text: "Ada" }] });
  expect(shown).toBe(1);
});

test("any stdio server can be supervised: what it annotates as idempotent is repeated, nothing else", async () => {
  const folder = await testFolder();
  const [server, file] = [join(folder, "server.mjs"), join(folder, "lines.txt")];
  await writeFile(server, foreignServer);
  const { client, transport } = await connectHost(["--command", `node '${server}'`]);
  const kill = { onprogress: () => void (existsSync(`${file}.again`) || killServer(transport.pid)) };
  const once = await client.callTool({ name: "once", arguments: { file } }, undefined, kill);
  expect(once).toMatchObject({ isError: true, structuredContent: { error: { code: "OUTCOME_UNKNOWN" } } });
  expect(await readFile(file, "utf8")).toBe("ran\n");
  const again = await client.callTool({ name: "again", arguments: { file } }, undefined, kill);
  expect(again).toMatchObject({ content: [{ text: "done" }] });
  expect(await readFile(file, "utf8")).toBe("ran\nran\nran\n");
});

/** A server without any SDK: its tools hang in the first run, and answer in a later one. */
const foreignServer = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const inputSchema = { type: "object" };
const tools = [{ name: "once", inputSchema }, { name: "again", inputSchema, annotations: { idempotentHint: true } }];
const serverInfo = { name: "foreign", version: "1" };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  if (method === "tools/list") send({ id, result: { tools } });
  if (method !== "tools/call") return;
  const { file } = params.arguments;
  appendFileSync(file, "ran\\n");
  const ranBefore = existsSync(file + ".again");
  if (params.name === "again" && ranBefore) return send({ id, result: { content: [{ type: "text", text: "done" }] } });
  const { progressToken } = params._meta;
  // The host kills the server when it hears of progress, unless this one kills itself.
  if (params.name === "again") writeFileSync(file + ".again", "");
  send({ method: "notifications/progress", params: { progressToken, progress: 1 } });
  if (params.name === "again") process.kill(process.pid, "SIGKILL");
});
process.stdin.on("end", () => process.exit(0));
`;

test("when the host has disconnected, the server drains and nothing is left behind", async () => {
  const child = spawn(process.execPath, [cli, toolsModule, "--store", await testFolder()], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  afterwards(async () => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  send({ id: 1, method: "initialize", params });
  await lines.next();
  send({ method: "notifications/initialized" });
  const _meta = { progressToken: "p" };
  send({ id: 2, method: "tools/call", params: { name: "count_to", arguments: { n: 100_000 }, _meta } });
  await lines.next();
  const servers = await childrenOf(child.pid ?? null);
  expect(servers).toHaveLength(1);
  child.stdin.end();
  // Our end of stderr closes when the last process that inherited it ends.
  const allGone = once(child.stderr.resume(), "end");
  const [code] = await once(child, "exit");
  await allGone;
  expect(code).toBe(0);
  await expect.poll(() => isRunning(servers[0])).toBe(false);
});

test("when the supervisor is killed, its server ends by itself", async () => {
  const child = spawn(process.execPath, [cli, toolsModule, "--store", await testFolder()], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await once(child.stdout, "data");
  const [server] = await childrenOf(child.pid ?? null);
  child.stderr.resume();
  child.kill("SIGKILL");
  // Its pipes close a moment before it leaves the list of processes.
  await expect.poll(() => isRunning(server)).toBe(false);
});
