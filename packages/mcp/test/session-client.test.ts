import { createMemoryStore, defineTool, type Engine, type Store } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { controlTools } from "../src/control/control-tools.js";
import { createGate, type Gate } from "./counting-tool.js";
import { type EndpointOptions, eventsOf, openEndpoint, openSession, post, readUntil, resume } from "./http-endpoint.js";

const [ada, bob] = ["6731a09a9cac4ba4f8d3e1f8309bed7f", "e324fb72e1cff4576f8e97c7ec71e0d4"];
type Session = Record<string, string>;
type Result = { readonly [key: string]: unknown };

/** Stands at its first checkpoint until the gate opens; lists `client_id`. */
function gatedTool(gate: Gate) {
  return defineTool({
    name: "gated",
    description: "Stands at a checkpoint.",
    input: z.object({ label: z.string() }),
    state: {},
    clientIdArgument: true,
    async *run({ label }, task) {
      yield { progress: 1, total: 2, message: label };
      const aborted = new Promise<never>((_resolve, reject) => {
        task.signal.addEventListener("abort", () => reject(task.signal.reason), { once: true });
      });
      await Promise.race([gate.pass(), aborted]);
      yield { progress: 2, total: 2 };
      return { label };
    },
  });
}

/** A store that outlives the engines that are opened on it. */
function lastingStore(): Store {
  return Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
}

async function open(options: Partial<EndpointOptions> = {}) {
  const gate = createGate();
  const endpoint = await openEndpoint({ tools: [gatedTool(gate)], store: lastingStore(), ...options });
  onTestFinished(endpoint.close);
  return { ...endpoint, gate, session: await openSession(endpoint.url) };
}

const request = (method: string, params: object = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params });
const call = (name: string, args: object = {}, _meta: object = {}) => ({ name, arguments: args, _meta });

async function resultOf(url: string, session: Session, method: string, params: object = {}): Promise<Result> {
  const response = await post(url, request(method, params), session);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const messages = isStream ? await readUntil(eventsOf(response), () => false) : [{ message: await response.json() }];
  return Reflect.get(Object(messages.at(-1)?.message), "result") as Result;
}

/** Calls a tool, and gives what it answers as data. */
async function dataOf(url: string, session: Session, ...given: Parameters<typeof call>): Promise<Result> {
  const result = await resultOf(url, session, "tools/call", call(...given));
  return (result.structuredContent ?? result) as Result;
}

/** Begins a task and leaves it running. */
async function begin(url: string, session: Session, label: string, args: object = {}, meta: object = {}) {
  return dataOf(url, session, "gated", { label, ...args }, { [metaKeys.handoff]: 0, ...meta });
}

const labelsOf = async (engine: Engine, clientId: string) =>
  (await engine.forOwner(`client:${clientId}`).list()).tasks.map(({ message }) => message ?? "none yet").length;

test("calls without client_id mean the client that the session named before, by argument", async () => {
  const { url, session } = await open();
  const { task_id } = await begin(url, session, "one", { client_id: ada });
  expect(await dataOf(url, session, "get_checkpoint_stats")).toMatchObject({ total_checkpoints: 1 });
  expect(await dataOf(url, session, "list_session_tasks")).toMatchObject({ persistent_id: ada, total_tasks: 1 });
  expect(await dataOf(url, session, "pause_task", { task_id })).toMatchObject({
    message: `Task ${String(task_id)} paused correctly`,
  });
  expect(await dataOf(url, session, "get_session_info")).toMatchObject({
    client_id: ada,
    session_id: null,
  });
});

test("the id of a session is shown to a caller with a token, and to no other: it would be enough to act as that (F15)", async () => {
  const shown = async (subjects: Record<string, string> | undefined, headers: Record<string, string>) => {
    const { url, close } = await openEndpoint({ tools: [], subjects });
    onTestFinished(close);
    const session = await openSession(url, headers);
    const { session_id } = await dataOf(url, session, "get_session_info");
    const { persistent_id } = await dataOf(url, session, "list_session_tasks");
    return [session_id, persistent_id].map((id) => id === session["mcp-session-id"]);
  };
  expect(await shown({ token: "alice" }, { authorization: "Bearer token" })).toEqual([true, true]);
  expect(await shown(undefined, {})).toEqual([false, false]);
});

test("every request of the session means that client: methods, resources and prompts, too", async () => {
  const { url, session } = await open();
  const { task_id: taskId } = await begin(url, session, "one", { client_id: ada });
  const listed = await resultOf(url, session, "tasks/list");
  expect(listed).toMatchObject({ tasks: [{ taskId }] });
  expect(await resultOf(url, session, "tasks/get", { taskId })).toMatchObject({ taskId });
  expect(await resultOf(url, session, "resources/list")).toMatchObject({ resources: [{ name: taskId }] });
  const prompt = await resultOf(url, session, "prompts/get", { name: "unfinished_tasks" });
  expect(JSON.stringify(prompt)).toContain(String(taskId));
});

test("_meta beats the argument, and what either names stays until another is named", async () => {
  const { url, session, engine } = await open();
  await begin(url, session, "one", { client_id: ada }, { [metaKeys.clientId]: bob });
  expect([await labelsOf(engine, ada), await labelsOf(engine, bob)]).toEqual([0, 1]);
  expect(await dataOf(url, session, "list_session_tasks")).toMatchObject({ persistent_id: bob, total_tasks: 1 });
  expect(await dataOf(url, session, "list_session_tasks", { client_id: ada })).toMatchObject({ total_tasks: 0 });
  expect(await dataOf(url, session, "get_checkpoint_stats")).toMatchObject({ total_checkpoints: 0 });
  expect(await dataOf(url, session, "get_checkpoint_stats", {}, { [metaKeys.clientId]: bob })).toMatchObject({
    total_checkpoints: 1,
  });
  expect(await dataOf(url, session, "get_session_info")).toMatchObject({ client_id: bob });
});

test("G10 what one session named is nothing to another", async () => {
  const { url, session } = await open();
  await begin(url, session, "one", { client_id: ada });
  const other = await openSession(url);
  expect(await dataOf(url, other, "list_session_tasks")).toEqual({
    session_id: null,
    persistent_id: null,
    total_tasks: 0,
    tasks: [],
  });
});

test("the client of a session is known after a restart of the server (G1)", async () => {
  const store = lastingStore();
  const before = await openEndpoint({ tools: [gatedTool(createGate())], store });
  const session = await openSession(before.url);
  const { task_id } = await begin(before.url, session, "one", { client_id: ada });
  await before.close();
  const { url } = await open({ store });
  expect(await dataOf(url, session, "list_session_tasks")).toMatchObject({ tasks: [{ task_id }], persistent_id: ada });
});

test("a call under way stays its client's own when the session names another, also after a restart (G7, G10)", async () => {
  const store = lastingStore();
  const before = await openEndpoint({ tools: [gatedTool(createGate())], store });
  const session = await openSession(before.url);
  await dataOf(before.url, session, "get_checkpoint_stats", { client_id: ada });
  // The call itself names no client.
  const running = request("tools/call", call("gated", { label: "one" }, { progressToken: "p" }), 7);
  const progress = await readUntil(
    eventsOf(await post(before.url, running, session)),
    ({ message }) => message !== undefined,
  );
  await dataOf(before.url, session, "get_checkpoint_stats", { client_id: bob });
  await before.close();
  const { url, gate, engine } = await open({ store });
  const rest = eventsOf(await resume(url, session, progress.at(-1)?.id ?? ""));
  await rest.next();
  gate.open();
  const end = (await readUntil(rest, () => false)).at(-1);
  expect(end?.message).toMatchObject({ id: 7, result: { structuredContent: { label: "one" } } });
  expect([await labelsOf(engine, ada), await labelsOf(engine, bob)]).toEqual([1, 0]);
  expect(await dataOf(url, session, "get_session_info")).toMatchObject({ client_id: bob });
});

test("the standalone stream continues to report what the session began or subscribed to as another client", async () => {
  const { url, session, gate } = await open();
  const shown = eventsOf(await fetch(url, { headers: { accept: "text/event-stream", ...session } }));
  const task = { ...call("gated", { label: "one", client_id: ada }), task: {} };
  const created = await resultOf(url, session, "tools/call", task);
  const { taskId } = created.task as { taskId: string };
  expect(await resultOf(url, session, "resources/subscribe", { uri: `task://${taskId}` })).toEqual({});
  expect(await dataOf(url, session, "get_checkpoint_stats", { client_id: bob })).toMatchObject({
    total_checkpoints: 0,
  });
  const items = { uri: `task://${taskId}/items` };
  const refused = await (await post(url, request("resources/subscribe", items), session)).json();
  expect(refused).toMatchObject({ error: { code: -32_602 } });
  gate.open();
  const wanted = new Set(["notifications/tasks/status completed", "notifications/resources/updated"]);
  await readUntil(shown, ({ message }) => {
    const { method, params } = { ...message } as { method?: string; params?: { status?: string } };
    wanted.delete([method, params?.status].filter(Boolean).join(" "));
    return wanted.size === 0;
  });
  expect(await resultOf(url, session, "tasks/list")).toEqual({ tasks: [] });
});

test("what a client names when it opens the session is its name from the beginning", async () => {
  const { url, engine } = await open();
  const { record } = await engine.forOwner(`client:${ada}`).start({ tool: "gated", input: { label: "one" } });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo, _meta: { [metaKeys.clientId]: ada } };
  const opened = await post(url, request("initialize", params));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  expect(await dataOf(url, session, "list_session_tasks")).toMatchObject({ tasks: [{ task_id: record.id }] });
});

test("an argument client_id that a tool has for itself names no caller", async () => {
  const own = defineTool({
    name: "invoice",
    description: "Has clients of its own.",
    input: z.object({ client_id: z.string() }),
    run: async ({ client_id }) => ({ client_id }),
  });
  const { url, session } = await open({
    tools: [own],
    setup: (server) => {
      const inputSchema = { client_id: z.string() };
      server.registerTool("ordinary", { inputSchema }, () => ({ content: [] }));
    },
  });
  expect(await dataOf(url, session, "invoice", { client_id: ada })).toEqual({ client_id: ada });
  await dataOf(url, session, "ordinary", { client_id: ada });
  expect(await dataOf(url, session, "get_session_info")).toMatchObject({ client_id: null });
});

test("every tool of ours takes the argument client_id, and lists it where it is asked to", async () => {
  const plain = defineTool({
    name: "plain",
    description: "Says what it got.",
    input: z.object({ name: z.string() }).catchall(z.string()),
    run: async (input) => input,
  });
  const { url, session } = await open({ tools: [plain, gatedTool(createGate())] });
  const { tools } = (await resultOf(url, session, "tools/list")) as {
    tools: { name: string; inputSchema: { properties: object } }[];
  };
  const listing = tools.filter(({ inputSchema }) => "client_id" in inputSchema.properties).map(({ name }) => name);
  expect(listing).toEqual(["gated"]);
  for (const { name } of controlTools.slice(-1)) await dataOf(url, session, name, { client_id: bob });
  expect(await dataOf(url, session, "get_session_info")).toMatchObject({ client_id: bob });
  expect(await dataOf(url, session, "plain", { name: "Ada", client_id: ada })).toEqual({ name: "Ada" });
  expect(await dataOf(url, session, "list_session_tasks")).toMatchObject({ persistent_id: ada, total_tasks: 1 });
});

test.each([
  ["an escape sequence", "\u001b]0;title\u0007\u001b[2J"],
  ["C1", "laptop \u009b31m of ada"],
  ["a turned direction", "laptop\u202eada"],
  ["the end of a line", "laptop of ada\nsub:root"],
])(
  "a client_id with %s is refused and not kept: as an argument, in _meta, and where a session begins",
  async (_, odd) => {
    const { url, session } = await open();
    const message = expect.stringContaining("The client_id has control characters");
    const refused = { error: { code: "NO_OWNER", message } };
    expect(await dataOf(url, session, "get_checkpoint_stats", { client_id: odd })).toMatchObject(refused);
    expect(await begin(url, session, "one", { client_id: odd })).toMatchObject(refused);
    expect(await begin(url, session, "one", {}, { [metaKeys.clientId]: odd })).toMatchObject(refused);
    expect(await dataOf(url, session, "get_session_info")).toMatchObject({ client_id: null });
    const read = await post(url, request("tasks/list", { _meta: { [metaKeys.clientId]: odd } }), session);
    expect(await read.json()).toMatchObject({ error: { message } });
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo, _meta: { [metaKeys.clientId]: odd } };
    const opened = await post(url, request("initialize", params));
    expect([opened.status, await opened.json()]).toMatchObject([400, { error: { message } }]);
  },
);

test("G11 a client_id that is too long is refused and not kept", async () => {
  const { url, session } = await open();
  const refused = await dataOf(url, session, "get_checkpoint_stats", { client_id: "x".repeat(1_000) });
  expect(refused).toMatchObject({ error: { code: "NO_OWNER" } });
  expect(await dataOf(url, session, "get_checkpoint_stats")).toMatchObject({ total_checkpoints: 0 });
});
