import { createMemoryStore, defineTool, type JsonObject, type Store, type Tool } from "@resumable-mcp/core";
import { type ControlToolMode, controlToolFacts, metaKeys, panelToolFacts, panelUri } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { openEndpoint } from "./endpoint-2026.js";
import { openEndpoint as openHttp, openSession, post } from "./http-endpoint.js";
import { closing, connect } from "./stock-client.js";

const page = "<!doctype html><html><head><title>panel</title></head><body></body></html>";
const apps: JsonObject = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const panelTools = Object.keys(panelToolFacts);

interface Options {
  readonly controlTools?: ControlToolMode;
  readonly panel?: typeof page | false;
  readonly prefix?: string;
}

/** Sends a request of either era for a client that declares these capabilities; gives the result or the error. */
type Send = (method: string, params?: JsonObject) => Promise<JsonObject>;
type Open = (tools: readonly Tool[], capabilities: JsonObject, options?: Options) => Promise<Send>;

const anyResult = z.looseObject({});
const open2025: Open = async (tools, capabilities, { panel = page, ...options } = {}) => {
  const given = panel === false ? undefined : { page: panel, server: { name: "test", version: "1" } };
  const { client } = await connect(tools, { ...options, panel: given, singleUser: true }, capabilities);
  return async (method, params = {}) => {
    try {
      return (await client.request({ method, params }, anyResult)) as JsonObject;
    } catch (error) {
      return { code: Reflect.get(Object(error), "code"), message: Reflect.get(Object(error), "message") };
    }
  };
};
const open2026: Open = async (tools, capabilities, { panel = page, prefix: _none, ...options } = {}) => {
  const endpoint = openEndpoint(tools, createMemoryStore(), { ...options, panel });
  closing.push(endpoint.close);
  return async (method, params) => {
    const { result, error } = await endpoint.send(method, params, { capabilities });
    return result ?? error;
  };
};
const eras = [
  ["2025", open2025],
  ["2026", open2026],
] as const;

const dataOf = (result: JsonObject): JsonObject => Object(result.structuredContent);
const listOf = async (send: Send, method: string, field: string) =>
  (await send(method))[field] as readonly JsonObject[];
const uiOf = (entries: readonly JsonObject[]) =>
  new Map(entries.map(({ name, _meta }) => [name, Object(_meta).ui as JsonObject | undefined]));
const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

for (const [era, open] of eras) {
  const callOf =
    (send: Send) =>
    (name: string, args: JsonObject = {}, _meta: JsonObject = {}) =>
      send("tools/call", { name, arguments: args, _meta });

  test.each<ControlToolMode>(["all", "minimal", "none"])(
    `${era}: for a client that shows no apps a server with %s and a panel is like one without, byte for byte`,
    async (controlTools) => {
      const answers = async (panel: typeof page | false) => {
        const send = await open([countTool()], { elicitation: {} }, { controlTools, panel });
        const said: JsonObject[] = [];
        for (const method of lists) said.push(await send(method));
        said.push(await send("resources/read", { uri: panelUri }));
        for (const name of panelTools) said.push(await callOf(send)(name, { task_id: "x" }));
        return JSON.stringify(said);
      };
      const without = await answers(false);
      expect(await answers(page)).toBe(without);
      expect(without).not.toContain('"ui"');
    },
  );

  test.each<JsonObject>([
    { extensions: {} },
    { extensions: { "io.modelcontextprotocol/ui": {} } },
    { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } },
  ])(`${era}: a client that declares %j shows no apps`, async (capabilities) => {
    const tools = uiOf(await listOf(await open([countTool()], capabilities), "tools/list", "tools"));
    expect([...tools.values()]).toEqual([...tools.values()].fill(undefined));
    expect(panelTools.filter((name) => tools.has(name))).toEqual([]);
  });

  test(`${era}: a client that shows apps sees the panel at resumable tools, and what only apps call`, async () => {
    const send = await open([countTool()], apps);
    const ui = uiOf(await listOf(send, "tools/list", "tools"));
    const forApps = { visibility: ["app"] };
    expect([...ui.keys()].sort()).toEqual([...Object.keys(controlToolFacts), ...panelTools, "count_to"].sort());
    expect(ui.get("count_to")).toEqual({ resourceUri: panelUri });
    expect(ui.get("wait_for_task")).toEqual({ resourceUri: panelUri });
    expect(ui.get("list_session_tasks")).toEqual({ resourceUri: panelUri });
    expect(ui.get("get_task")).toEqual({ resourceUri: panelUri, ...forApps });
    expect(ui.get("resume_task")).toBeUndefined();
    for (const name of [...panelTools, "pause_task", "delete_task", "get_task_items"])
      expect(ui.get(name)).toEqual(forApps);
  });

  test(`${era}: with all control tools none of them is for apps alone, and without control tools there is no panel`, async () => {
    const all = uiOf(await listOf(await open([countTool()], apps, { controlTools: "all" }), "tools/list", "tools"));
    expect([all.get("get_task"), all.get("pause_task")]).toEqual([{ resourceUri: panelUri }, undefined]);
    const none = await open([countTool()], apps, { controlTools: "none" });
    expect([...uiOf(await listOf(none, "tools/list", "tools")).entries()]).toEqual([["count_to", undefined]]);
    expect(await none("resources/read", { uri: panelUri })).toMatchObject({ code: expect.any(Number) });
  });

  test(`${era}: the panel is a resource with the type of an app, and reaches no network`, async () => {
    const send = await open([countTool()], apps);
    const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
    const shown = { uri: panelUri, mimeType: "text/html;profile=mcp-app", _meta: { ui: { csp } } };
    expect((await listOf(send, "resources/list", "resources"))[0]).toMatchObject({ ...shown, name: "panel" });
    const { contents } = await send("resources/read", { uri: panelUri });
    expect(contents).toMatchObject([{ ...shown, text: page }]);
  });

  test(`${era}: find_task finds the task of a call before its result, and none where there is none`, async () => {
    const gate = createGate();
    const call = callOf(await open([countTool(gate)], apps));
    expect(dataOf(await call("find_task", { tool: "count_to", arguments: { n: 2 } }))).toEqual({ task_id: null });
    const { task_id } = dataOf(await call("count_to", { n: 2 }, { [metaKeys.handoff]: 0 }));
    const found = await call("find_task", { tool: "count_to", arguments: { n: 2 } });
    expect(dataOf(found)).toMatchObject({ task_id, task_name: "count_to", status: "running" });
    expect(dataOf(await call("find_task", { tool: "count_to", arguments: { n: 3 } }))).toEqual({ task_id: null });
    const wrong = await call("find_task", { tool: "count_to", arguments: { n: "two" } });
    expect(dataOf(wrong)).toMatchObject({ error: { code: "INVALID_VALUE" } });
    expect(dataOf(await call("find_task", { tool: "nothing", arguments: {} }))).toMatchObject({
      error: { code: "UNKNOWN_TOOL" },
    });
    gate.open(4);
  });

  test(`${era}: get_task_journal gives the newest events, and what came after a place, in parts`, async () => {
    const call = callOf(await open([countTool()], apps));
    const { _meta } = await call("count_to", { n: 5 });
    const task_id = String(Object(_meta)[metaKeys.taskId]);
    const whole = dataOf(await call("get_task_journal", { task_id }));
    const events = whole.events as readonly JsonObject[];
    expect(whole).toMatchObject({ task_id, arguments: { n: 5 }, first_seq: 1, next: whole.last_seq });
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: Number(whole.last_seq) }, (_none, at) => at + 1));
    expect(events.filter(({ type }) => type === "checkpoint")).toHaveLength(5);
    expect(JSON.stringify(whole)).not.toContain('"state"');
    const newest = dataOf(await call("get_task_journal", { task_id, limit: 2 }));
    expect(newest).toMatchObject({ first_seq: Number(whole.last_seq) - 1, events: events.slice(-2) });
    const part = dataOf(await call("get_task_journal", { task_id, after: 1, limit: 3 }));
    expect(part).toMatchObject({ first_seq: 2, next: 4, events: events.slice(1, 4) });
    const over = { task_id, arguments: { n: 5 }, last_seq: whole.last_seq, next: whole.last_seq, events: [] };
    expect(dataOf(await call("get_task_journal", { task_id, after: whole.last_seq ?? 0 }))).toEqual(over);
    expect(dataOf(await call("get_task_journal", { task_id, after: 1_000_000 }))).toEqual(over);
    expect(dataOf(await call("get_task_journal", { task_id: "unknown" }))).toMatchObject({
      error: { code: "TASK_NOT_FOUND" },
    });
  });

  test(`${era}: get_task_journal has the values of steps, and the beginning of a large one`, async () => {
    const tool = defineTool({
      ...{ name: "steps", description: "Two steps.", input: z.object({}), output: z.string() },
      async run(_input, task) {
        await task.step("small", () => ({ rows: 3 }));
        await task.step("large", () => "x".repeat(100_000));
        return "done";
      },
    });
    const call = callOf(await open([tool], apps));
    const { _meta } = await call("steps", {});
    const task_id = String(Object(_meta)[metaKeys.taskId]);
    const events = dataOf(await call("get_task_journal", { task_id })).events as readonly JsonObject[];
    const values = events.flatMap(({ type, value }) => (type === "step" ? [value] : []));
    expect([values.length, values[0], String(values[1]).length]).toEqual([2, { rows: 3 }, 2_001]);
  });

  test(`${era}: restart_task begins another task with the arguments of a finished one, and of no other`, async () => {
    const gate = createGate();
    const call = callOf(await open([countTool(gate)], apps));
    const { task_id } = dataOf(await call("count_to", { n: 1 }, { [metaKeys.handoff]: 0 }));
    const early = dataOf(await call("restart_task", { task_id: task_id ?? "" }));
    expect(early).toMatchObject({ error: { code: "ILLEGAL_TRANSITION" } });
    gate.open(4);
    await call("wait_for_task", { task_id: task_id ?? "" });
    const again = dataOf(await call("restart_task", { task_id: task_id ?? "" }));
    expect(again).toMatchObject({ task_name: "count_to", generation: 1 });
    expect(again.task_id).not.toBe(task_id);
    const finished = dataOf(await call("wait_for_task", { task_id: again.task_id ?? "" }));
    expect(finished).toEqual({ counted: 1, attempts: 1 });
    const other = dataOf(await call("restart_task", { task_id: task_id ?? "", arguments: { n: 2 } }));
    expect(dataOf(await call("wait_for_task", { task_id: other.task_id ?? "" }))).toMatchObject({ counted: 2 });
    expect(dataOf(await call("restart_task", { task_id: "unknown" }))).toMatchObject({
      error: { code: "TASK_NOT_FOUND" },
    });
  });

  test(`${era}: list_tools gives what run_tool takes, and run_tool begins a task each time`, async () => {
    const gate = createGate();
    gate.open(3);
    const call = callOf(await open([countTool(gate)], apps));
    expect(dataOf(await call("list_tools", {}))).toEqual({ tools: [expect.objectContaining({ name: "count_to" })] });
    const { tools } = dataOf(await call("list_tools", { tool: "count_to" })) as { tools?: unknown };
    expect(tools).toMatchObject([{ name: "count_to", input_schema: { properties: { n: {} } } }]);
    expect(dataOf(await call("list_tools", { tool: "unknown" }))).toEqual({ tools: [] });
    const run = async () => dataOf(await call("run_tool", { tool: "count_to", arguments: { n: 1 } })).task_id;
    const [first, second] = [await run(), await run()];
    expect(second).not.toBe(first);
    for (const task_id of [first, second])
      expect(dataOf(await call("wait_for_task", { task_id: task_id ?? "" }))).toMatchObject({ counted: 1 });
    expect(dataOf(await call("run_tool", { tool: "count_to", arguments: { n: "many" } }))).toMatchObject({
      error: { code: "INVALID_VALUE" },
    });
    expect(dataOf(await call("run_tool", { tool: "unknown", arguments: {} }))).toMatchObject({
      error: { code: "UNKNOWN_TOOL" },
    });
  });

  test(`${era}: a question that only the user may answer is answered in the panel, and not by answer_task`, async () => {
    const asking = defineTool({
      name: "asking",
      description: "Asks.",
      input: z.object({}),
      state: {},
      async *run(_input, task) {
        yield { progress: 1, total: 2 };
        const form = { message: "Sure?", schema: z.object({ sure: z.boolean() }), userOnly: true };
        return { action: (await task.ask("sure", form)).action };
      },
    });
    const call = callOf(await open([asking], apps));
    const { task_id } = dataOf(await call("asking", {}, { [metaKeys.handoff]: 0 }));
    const wait = () => call("wait_for_task", { task_id: task_id ?? "" });
    expect(dataOf(await wait())).toMatchObject({ status: "input_required" });
    const answer = { task_id: task_id ?? "", key: "sure", action: "accept", content: { sure: true } };
    expect(dataOf(await call("answer_task", answer))).toMatchObject({ error: { code: "USER_ONLY" } });
    expect(dataOf(await call("answer_question", answer))).toMatchObject({ task_id });
    expect(dataOf(await wait())).toEqual({ action: "accept" });
  });
}

test("2025: a session that another process continues still shows apps", async () => {
  const store: Store = Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
  const options = { tools: [countTool()], store, panel: page };
  const before = await openHttp(options);
  const session = await openSession(before.url, {}, "2025-11-25", apps);
  const other = await openSession(before.url);
  await before.close();
  const after = await openHttp(options);
  closing.push(after.close);
  const list = async (headers: Record<string, string>) =>
    (await post(after.url, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).text();
  expect(await list(session)).toContain('"find_task"');
  expect(await list(other)).not.toContain('"find_task"');
  const read = { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: panelUri } };
  expect(await (await post(after.url, read, session)).text()).toContain("profile=mcp-app");
});

test("2025: get_server_info tells the user of this machine which servers share the store", async () => {
  const gate = createGate();
  const send = await open2025([countTool(gate), greetTool], apps);
  await send("tools/call", { name: "count_to", arguments: { n: 2 }, _meta: { [metaKeys.handoff]: 0 } });
  const info = dataOf(await send("tools/call", { name: "get_server_info", arguments: {} }));
  expect(info).toMatchObject({
    server: { name: "test", version: "1", tools: [{ name: "count_to" }, { name: "greet_user" }] },
    processes: 1,
    replicas: [
      { worker: expect.stringMatching(/^w_/), is_self: true, running: 1, tools: { count_to: "1", greet_user: "1" } },
    ],
    versions: [
      { tool: "count_to", unfinished: 1, offered_by: 1 },
      { tool: "greet_user", unfinished: 0, offered_by: 1 },
    ],
    store: { unfinished: 1, by_tool: { count_to: 1 }, read: 1 },
  });
  gate.open(2);
});

test("2026: get_server_info refuses a token without the operator's scope", async () => {
  const send = await open2026([countTool()], apps);
  const refused = await send("tools/call", { name: "get_server_info", arguments: {} });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "FORBIDDEN" } } });
});

test("a prefix stands before the panel's tools, and the page is given it", async () => {
  const send = await open2025([countTool()], apps, { prefix: "long_" });
  const names = (await listOf(send, "tools/list", "tools")).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["long_find_task", "long_get_task"]));
  const { contents } = await send("resources/read", { uri: panelUri });
  expect(contents).toMatchObject([
    { text: page.replace("<head>", '<head><meta name="resumable-mcp-prefix" content="long_">') },
  ]);
  const found = await send("tools/call", {
    name: "long_find_task",
    arguments: { tool: "count_to", arguments: { n: 1 } },
  });
  expect(dataOf(found)).toEqual({ task_id: null });
});

test("a server's own tool keeps its name: the panel's tool of that name is not there", async () => {
  const own = defineTool({
    name: "find_task",
    description: "Own.",
    input: z.object({}),
    run: async () => "own",
  });
  const call = await open2025([own], apps);
  expect((await call("tools/call", { name: "find_task", arguments: {} })).content).toMatchObject([
    { text: expect.stringContaining("own") },
  ]);
  const names = (await listOf(call, "tools/list", "tools")).map(({ name }) => name);
  expect(names.filter((name) => name === "find_task")).toEqual(["find_task"]);
});

test("a page that cannot be loaded fails the request that shows it, without its reason, and the author hears of it", async () => {
  const heard: unknown[] = [];
  const failing = async (): Promise<string> => {
    throw new Error("/secret/path is not there");
  };
  const options = { panel: { page: failing }, onError: (error: unknown) => heard.push(error) };
  const { client } = await connect([countTool()], options, apps);
  const refusal = client.readResource({ uri: panelUri });
  await expect(refusal).rejects.toThrow("The server failed to carry out the request. Its log says more.");
  expect(heard).toEqual([expect.objectContaining({ message: "/secret/path is not there" })]);
});

test("the page is read where it is shown first, and a definition without one has no panel", async () => {
  let reads = 0;
  const load = async () => {
    reads += 1;
    return page;
  };
  const { url, close } = await openHttp({ tools: [countTool()], panel: load });
  closing.push(close);
  await openSession(url);
  expect(reads).toBe(0);
});
