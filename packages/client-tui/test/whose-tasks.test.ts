import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, type OpenClientOptions, openClient } from "@resumable-mcp/client";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { type RunningServer, serve } from "@resumable-mcp/server-http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { taskCommands } from "../src/command-line/commands/task-commands.js";
import { createOutput } from "../src/command-line/output.js";
import { parseCommandLine } from "../src/command-line/parse-command-line.js";
import { openingNotices } from "../src/display/whose-tasks.js";

const stand = defineTool({
  name: "stand",
  description: "Asks, and waits for the answer.",
  input: { type: "object", properties: { label: { type: "string" } } },
  async run(_input, task) {
    return (await task.ask("go", { message: "Go on?", schema: { type: "object", properties: {} } })).action;
  },
});

const breaks = defineTool({
  name: "break",
  description: "Fails.",
  input: { type: "object", properties: {} },
  run: async () => Promise.reject(new Error("broken")),
});

let folder: string;
let server: RunningServer;
const clients: Client[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "whose-"));
  const definition = { name: "whose", version: "1.0.0", tools: [stand, breaks] };
  server = await serve({ definition, store: createMemoryStore(), port: 0, limits: { drainTimeoutMs: 20 } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.close();
  await rm(folder, { recursive: true });
});

async function open(options: OpenClientOptions = {}, headers: Record<string, string> = {}): Promise<Client> {
  const servers = [{ url: server.url, headers }];
  const client = await openClient({ servers, stateFile: join(folder, "state.json"), ...options });
  clients.push(client);
  return client;
}

/** What the page at /ui sends: a request that names no client. */
async function pageLists(): Promise<string> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = "list_session_tasks";
  const params = { name, arguments: {}, _meta };
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return (await fetch(server.url, { method: "POST", headers, body })).text();
}

const begin = async (client: Client, label: string) =>
  (await client.call("stand", { label }, { detached: true })).taskId ?? "none";
const idsOf = async (client: Client) => (await client.unfinished()).map(({ id }) => id);

test("on this machine the client is its user, as the page is, also in the session of the last process", async () => {
  const first = await open();
  const id = await begin(first, "one");
  expect(await pageLists()).toContain(id);
  expect(first.summary().servers).toMatchObject([{ clientId: undefined }]);
  await first.close();
  const second = await open();
  expect(openingNotices(second)).toEqual(["These are the tasks of this machine's user."]);
  expect(await idsOf(second)).toEqual([id]);
  expect(second.servers()[0]?.sessionId).toBe(first.servers()[0]?.sessionId);
});

test("a client that is given an id names it everywhere, and leaves the sessions of its own id alone", async () => {
  await begin(await open(), "own");
  const named = await open({ clientId: "laptop of ada" });
  expect(await idsOf(named)).toEqual([]);
  const id = await begin(named, "of ada");
  expect(await pageLists()).not.toContain(id);
  const again = await begin(await open(), "own again");
  expect(await pageLists()).toContain(again);
  expect(await idsOf(await open({ clientId: "laptop of ada" }))).toEqual([id]);
});

test("to a server that other machines reach the client names its id, and says so when it is there again", async () => {
  const proxy = { "x-forwarded-for": "192.0.2.1" };
  const first = await open({}, proxy);
  const id = await begin(first, "one");
  expect(await pageLists()).not.toContain(id);
  await first.close();
  const second = await open({}, proxy);
  expect(openingNotices(second)).toEqual([`Reusing Persistent Client ID ${second.clientId}.`]);
  expect(await idsOf(second)).toEqual([id]);
});

test("an imported id is named on this machine, too: it owns tasks", async () => {
  const importFrom = join(folder, "session_state.json");
  await writeFile(importFrom, JSON.stringify({ client_id: "3f2b8c1a-9d4e-4f" }));
  const id = await begin(await open({ clientId: "3f2b8c1a-9d4e-4f", stateFile: join(folder, "other.json") }), "one");
  expect(await idsOf(await open({ importFrom }))).toEqual([id]);
  expect(await idsOf(await open())).toEqual([id]);
});

test("tasks --all-owners lists the tasks of all for an operator, with their owners, and refuses others", async () => {
  const ada = await open({ clientId: "laptop of ada" });
  const [first, second] = [await begin(ada, "of ada"), await begin(await open(), "own")];
  const list = async (client: Client, ...words: string[]) => {
    const printed: string[] = [];
    const stream = { write: (text: string) => void printed.push(text) };
    const line = parseCommandLine(["tasks", "--all-owners", ...words], {});
    const idle = { interrupts: { next: () => new Promise<never>(() => {}) }, onFollow: () => {}, clock: () => 0 };
    await taskCommands.tasks({ client, line, output: createOutput(stream, stream, line.json), ...idle });
    return printed.join("");
  };
  const operator = await open();
  const text = await list(operator);
  for (const part of ["These are the tasks of all owners.", "OWNER", first, "client:local/laptop of ada", second])
    expect(text).toContain(part);
  const { tasks } = JSON.parse(await list(operator, "--json"));
  expect(tasks.map(({ owner }: { owner: string }) => owner).sort()).toEqual([
    "client:local/laptop of ada",
    "local:local",
  ]);
  await expect(list(ada)).rejects.toMatchObject({ code: "TASK_REFUSED", reason: "FORBIDDEN" });
});

test("an operator hears which tools fail", async () => {
  const client = await open();
  await client.call("break", {}, { detached: true });
  const failed = async () => (await client.stats({ allOwners: true }))[0]?.failedByTool;
  await expect.poll(failed).toEqual({ break: 1 });
  expect((await client.stats())[0]?.failedByTool).toBeUndefined();
});
