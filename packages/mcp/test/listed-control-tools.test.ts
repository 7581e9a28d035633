import { createMemoryStore, defineTool, type JsonObject, type Tool } from "@resumable-mcp/core";
import { type ControlToolMode, controlToolFacts, listedControlTools, metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { longToolsText } from "../src/control/instructions.js";
import { readToolKinds } from "../src/era-2025/session/tool-kinds.js";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { openEndpoint } from "./endpoint-2026.js";
import { call, closing, connect } from "./stock-client.js";

const all = Object.keys(controlToolFacts);
const listedBy = { all, minimal: [...listedControlTools("minimal")], none: [] };
const modes = Object.entries(listedBy) as [ControlToolMode, string[]][];

/** A client of either era. */
interface Caller {
  list(): Promise<{ readonly tools: readonly { readonly name: string }[]; readonly _meta?: object }>;
  call(name: string, args?: JsonObject, meta?: JsonObject): Promise<JsonObject>;
}

const eras: [string, (tools: readonly Tool[], controlTools?: ControlToolMode) => Promise<Caller>][] = [
  [
    "2025",
    async (tools, controlTools) => {
      const { client } = await connect(tools, { controlTools });
      return {
        list: () => client.listTools(),
        call: (name, args = {}, meta = {}) => call(client, name, args, {}, meta) as Promise<JsonObject>,
      };
    },
  ],
  [
    "2026",
    async (tools, controlTools) => {
      const endpoint = openEndpoint(tools, createMemoryStore(), { controlTools });
      closing.push(endpoint.close);
      const client = await endpoint.connect();
      closing.push(() => client.close());
      return {
        list: () => client.listTools(),
        async call(name, args = {}, _meta = {}) {
          const { result, error } = await endpoint.send("tools/call", { name, arguments: args, _meta });
          return result ?? error;
        },
      };
    },
  ],
];
const textOf = (result: JsonObject) => JSON.stringify(result.content ?? result);
const dataOf = (result: JsonObject) => Object(result.structuredContent);

for (const [era, open] of eras) {
  test(`${era}: listed schemas name the dialect only where their author did: 2020-12 is the default, and clients refuse its name`, async () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const plain = { $schema, type: "object" } as const;
    const named = defineTool({
      name: "named",
      description: "Named.",
      input: plain,
      output: plain,
      run: async () => ({}),
    });
    const caller = await open([countTool(), named], "all");
    const { tools } = JSON.parse(JSON.stringify(await caller.list()));
    const dialects = tools.map((tool: JsonObject) => [
      tool.name,
      ...[tool.inputSchema, tool.outputSchema].map((schema) => Object(schema).$schema),
    ]);
    const others = [countTool().name, ...all].map((name) => [name, undefined, undefined]);
    expect(dialects.toSorted()).toEqual([...others, ["named", $schema, $schema]].toSorted());
  });

  test.each(modes)(`${era}: a server with %s lists these, and says in _meta what it has`, async (mode, expected) => {
    const caller = await open([countTool()], mode);
    const { tools, _meta } = await caller.list();
    expect(tools.map(({ name }) => name).sort()).toEqual([...expected, "count_to"].sort());
    expect(_meta).toMatchObject({ [metaKeys.controlTools]: { listed: mode, prefix: "" } });
  });

  test(`${era}: every control tool can be called by default, listed or not`, async () => {
    const caller = await open([countTool(createGate())]);
    const { task_id } = dataOf(await caller.call("count_to", { n: 2 }, { [metaKeys.handoff]: 0 }));
    const { tools } = await caller.list();
    expect(tools.map(({ name }) => name)).not.toContain("pause_task");
    const args = { task_id, timeout_seconds: 0, key: "none", action: "cancel" };
    const codes = new Map<string, unknown>();
    for (const name of [...all.filter((each) => each !== "delete_task"), "delete_task"]) {
      const answer = await caller.call(name, args);
      expect([name, answer.structuredContent]).toEqual([name, expect.any(Object)]);
      codes.set(name, dataOf(answer).error?.code);
    }
    // No question is open, which is for the tool to say, not for a server that does not know it.
    expect(codes).toEqual(
      new Map<string, unknown>([...codes.keys()].map((name) => [name, undefined])).set(
        "answer_task",
        "UNKNOWN_QUESTION",
      ),
    );
  });

  test(`${era}: without control tools a call of one is the call of an unknown tool`, async () => {
    const caller = await open([countTool()], "none");
    const { task_id } = Object((await caller.call("count_to", { n: 1 }))._meta);
    for (const name of all) {
      const answer = textOf(await caller.call(name, { task_id: task_id ?? "t" }));
      expect(answer).toMatch(/No tool is named|Tool \w+ not found|Unknown tool/);
    }
  });

  test(`${era}: without control tools a call that is handed off names the same call, which joins its task`, async () => {
    const gate = createGate();
    const caller = await open([countTool(gate)], "none");
    const handedOff = await caller.call("count_to", { n: 2 }, { [metaKeys.handoff]: 1 });
    expect(dataOf(handedOff)).toMatchObject({ status: "running", next_tool: "count_to" });
    expect(textOf(handedOff)).toMatch(/Call count_to again with the same arguments now/);
    expect(all.filter((name) => textOf(handedOff).includes(name))).toEqual([]);
    gate.open(2);
    const result = await caller.call("count_to", { n: 2 });
    expect(dataOf(result)).toEqual({ counted: 2, attempts: 1 });
    expect(Object(result._meta)[metaKeys.taskId]).toBe(dataOf(handedOff).task_id);
  });
}

test("a call to whose task no call could return is not handed off where there are no control tools", async () => {
  const gate = createGate();
  const unkeyed = defineTool({
    name: "unkeyed",
    description: "Each call is a task of its own.",
    input: z.object({}),
    key: () => null,
    handoffAfter: 1,
    state: {},
    async *run(_input, task) {
      yield { progress: 1, total: 2 };
      await gate.pass();
      return { attempts: task.attempt };
    },
  });
  const { client } = await connect([unkeyed], { controlTools: "none", handoff: true });
  const answer = call(client, "unkeyed", {}, { onprogress: () => gate.open() });
  expect(await answer).toMatchObject({ structuredContent: { attempts: 1 } });
});

test("a question, a pause and a failure name no control tool where there are none", async () => {
  const failing = defineTool({
    name: "failing",
    description: "Fails.",
    input: z.object({}),
    onFailure: "restart",
    state: {},
    async *run() {
      yield { progress: 1, total: 2 };
      throw new Error("no");
    },
  });
  const { client } = await connect([greetTool, failing], { controlTools: "none" });
  const asks = await call(client, "greet_user", {});
  expect(asks).toMatchObject({ structuredContent: { status: "input_required", next_tool: "greet_user" } });
  const failed = await call(client, "failing", {});
  expect(failed).toMatchObject({ structuredContent: { error: { continues: "never" } } });
  const { messages } = await client.getPrompt({ name: "unfinished_tasks" });
  const texts = [client.getInstructions(), asks, failed, messages].map((text) => JSON.stringify(text) ?? "");
  expect(texts.flatMap((text) => all.filter((name) => text.includes(name)))).toEqual([]);
});

/** Stops itself at its limit; the same call begins from nothing. */
const stalling = defineTool({
  name: "stalling",
  description: "Takes too long.",
  input: z.object({}),
  onFailure: "restart",
  attemptTimeout: 5,
  state: {},
  async *run(_input, task) {
    yield { progress: 1, total: 2 };
    await new Promise((_resolve, reject) => task.signal.addEventListener("abort", () => reject(task.signal.reason)));
    return "late";
  },
});

test.each<[string, ControlToolMode, string, readonly string[]]>([
  ["none where there are none", "none", "", []],
  ["those of the server, with their prefix", "minimal", "long_", ["long_list_session_tasks", "long_resume_task"]],
])("what a task and the engine say of a failure names %s", async (_which, controlTools, prefix, expected) => {
  const { client, store } = await connect([stalling], { controlTools, prefix });
  const texts = [
    await call(client, "stalling", {}),
    await call(client, `${prefix}get_task`, { task_id: "unknown" }).catch(String),
    await client.readResource({ uri: "task://unknown-task-0000001" }).catch(String),
    await client.listResources(),
    (await store.listTasks({ limit: 1 })).tasks,
  ].map((text) => JSON.stringify(text));
  const named = new Set(texts.flatMap((text) => text.match(/\b(?:long_)?[a-z]+(?:_[a-z]+)+\b/g) ?? []));
  // The caller's own word for the tool that is not there.
  const own = controlTools === "none" ? ["get_task"] : [];
  const names = [...named].filter((name) => all.includes(name.replace("long_", "")) && !own.includes(name));
  expect(names.sort()).toEqual(expected);
});

test("what texts tell a model to call is listed: a host refuses the call of a tool that it did not see", async () => {
  const { client } = await connect([greetTool, stalling, countTool(createGate())], {});
  const running = await call(client, "count_to", { n: 2 }, {}, { [metaKeys.handoff]: 0 });
  const { task_id } = Object(running.structuredContent);
  const { messages } = await client.getPrompt({ name: "unfinished_tasks" });
  await call(client, "pause_task", { task_id });
  const texts = [
    longToolsText(),
    running,
    messages,
    await call(client, "wait_for_task", { task_id }),
    await call(client, "greet_user", {}),
    await call(client, "stalling", {}),
    await call(client, "get_task", { task_id: "unknown" }),
    await call(client, "delete_task", { task_id }),
  ].map((text) => JSON.stringify(text));
  const named = new Set(
    texts.flatMap((text) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).filter((name) => all.includes(name)),
  );
  expect([...named].sort()).toEqual([...listedControlTools("minimal")].sort());
});

test("what a model reads of all servers is short: 2,000 characters of control tools, 300 of instructions", async () => {
  const { client } = await connect([countTool()], {});
  const { tools } = await client.listTools();
  const listed = tools.filter(({ name }) => all.includes(name)).map((tool) => JSON.stringify(tool).length);
  expect(listed).toHaveLength(listedControlTools("minimal").length);
  expect(listed.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(2_000);
  expect(longToolsText().length).toBeLessThanOrEqual(300);
});

test("a prefix stands before the names that are listed and called, and in _meta", async () => {
  const { client } = await connect([countTool()], { prefix: "long_" });
  const { tools, _meta } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["count_to", "long_wait_for_task"]));
  expect(tools.map(({ name }) => name)).not.toContain("long_pause_task");
  expect(_meta).toMatchObject({ [metaKeys.controlTools]: { listed: "minimal", prefix: "long_" } });
  expect(await call(client, "long_get_session_info", {})).toMatchObject({ structuredContent: { client_id: null } });
});

test("calls of control tools that are not listed are delivered again as those of listed ones", async () => {
  const kindsWith = async (controlTools: ControlToolMode) => {
    const { client } = await connect([countTool()], { controlTools });
    const result = await client.listTools();
    const { kinds } = await readToolKinds(async () => result as JsonObject);
    return kinds;
  };
  const [short, long] = [await kindsWith("minimal"), await kindsWith("all")];
  expect(new Map([...short].sort())).toEqual(new Map([...long].sort()));
  expect(short.get("get_task_items")).toEqual({ kind: "journal", clientArgument: "argument" });
  expect([...(await kindsWith("none")).keys()]).toEqual(["count_to"]);
});
