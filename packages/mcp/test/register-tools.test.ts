import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  type Progress,
} from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool, type Store, TerminalError, type Tool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { type RegisterOptions, registerTools } from "../src/index.js";
import { countTool, createGate, greetTool } from "./counting-tool.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function connect(
  tools: readonly Tool[],
  options: RegisterOptions = { controlTools: "all" },
  capabilities = {},
  store: Store = createMemoryStore(),
) {
  const engine = createEngine({
    store,
    tools,
    // Tools that wait at a closed gate are not waited for.
    limits: { graceMs: 20, drainTimeoutMs: 20 },
  });
  const open = async () => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools(server, engine, options);
    const client = new Client({ name: "stock", version: "1" }, { capabilities });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    closing.push(() => client.close());
    return client;
  };
  closing.push(() => engine.close());
  return { engine, store, client: await open(), open };
}

const call = (client: Client, name: string, args: Record<string, unknown>, options = {}, _meta = {}) =>
  client.callTool({ name, arguments: args, _meta }, undefined, options);

test("a call tells its progress and answers with the result", async () => {
  const { client } = await connect([countTool()]);
  const seen: Progress[] = [];
  const result = await call(client, "count_to", { n: 3 }, { onprogress: (progress: Progress) => seen.push(progress) });
  expect(seen).toMatchObject([1, 2, 3].map((at) => ({ progress: at, total: 3, message: `Counted ${at}/3` })));
  expect(result).toMatchObject({
    content: [{ type: "text", text: '{"counted":3,"attempts":1}' }],
    structuredContent: { counted: 3, attempts: 1 },
    _meta: { [metaKeys.status]: "completed", [metaKeys.taskId]: expect.any(String) },
  });
});

test("log messages respect the level that the client set", async () => {
  const { client } = await connect([countTool()]);
  const seen: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(params.data));
  await call(client, "count_to", { n: 2 });
  await client.setLoggingLevel("error");
  await call(client, "count_to", { n: 3 });
  expect(seen).toEqual(["step 1", "step 2"]);
});

test("tools with plain JSON Schema list exactly that schema, and are checked by it", async () => {
  const input = {
    type: "object",
    properties: { size: { $ref: "#/$defs/size" } },
    required: ["size"],
    additionalProperties: false,
    $defs: { size: { type: "integer", minimum: 2 } },
  } as const;
  const plain = defineTool({ name: "plain", description: "Plain.", input, run: async () => "done" });
  const { client } = await connect([plain]);
  const { tools } = await client.listTools();
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  expect(tools.find(({ name }) => name === "plain")?.inputSchema).toEqual({ $schema, ...input });
  expect(await call(client, "plain", { size: 1 })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "INVALID_VALUE" } },
  });
  expect(await call(client, "plain", { size: 2 })).toMatchObject({ content: [{ type: "text", text: "done" }] });
});

test("cancelling the request stops the task at its next checkpoint, and the same call continues", async () => {
  const gate = createGate();
  const { client, engine } = await connect([countTool(gate)]);
  await client.listTools();
  const abort = new AbortController();
  const first = call(client, "count_to", { n: 3 }, { signal: abort.signal, onprogress: () => abort.abort("enough") });
  gate.open();
  await expect(first).rejects.toThrow();
  const tasks = engine.forOwner("local:local");
  const [task] = (await tasks.list()).tasks;
  await tasks.wait(task?.id ?? "");
  expect((await tasks.get(task?.id ?? "")).status).toBe("paused");
  const progress: number[] = [];
  const second = call(client, "count_to", { n: 3 }, { onprogress: (now: Progress) => progress.push(now.progress) });
  gate.open(3);
  expect(await second).toMatchObject({ structuredContent: { counted: 3, attempts: 2 } });
  expect((await tasks.list()).tasks).toHaveLength(1);
  expect(progress.at(-1)).toBe(3);
});

test("a call asked to hand off answers before the end, and wait_for_task gives the result unchanged", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate)]);
  await client.listTools();
  const running = await call(client, "count_to", { n: 2 }, {}, { [metaKeys.handoff]: 0 });
  expect(running).toMatchObject({
    structuredContent: { status: "running", progress: 0, next_tool: "wait_for_task", task_id: expect.any(String) },
  });
  expect(running.isError).toBeUndefined();
  const { task_id } = running.structuredContent as { task_id: string };
  const soon = await call(client, "wait_for_task", { task_id, timeout_seconds: 0 });
  expect(soon).toMatchObject({ structuredContent: { status: "running", task_id } });
  gate.open(2);
  const end = await call(client, "wait_for_task", { task_id });
  expect(end).toMatchObject({
    structuredContent: { counted: 2, attempts: 1 },
    _meta: { [metaKeys.status]: "completed" },
  });
});

test("pausing a task is logged, ends the call that waits for it, and says how to go on", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate)]);
  const logged: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  let pausing: Promise<unknown> | undefined;
  const onprogress = () => {
    pausing ??= call(client, "list_session_tasks", {}).then((listed) => {
      const { tasks } = listed.structuredContent as { tasks: { task_id: string }[] };
      return call(client, "pause_task", { task_id: tasks[0]?.task_id });
    });
  };
  gate.open();
  const paused = await call(client, "count_to", { n: 9 }, { onprogress });
  expect(paused).toMatchObject({ structuredContent: { status: "paused", next_tool: "resume_task", progress: 1 } });
  expect(await pausing).toMatchObject({ content: [{ text: expect.stringMatching(/^Task .* paused correctly$/) }] });
  const { task_id } = paused.structuredContent as { task_id: string };
  expect(logged.at(-1)).toBe(`Task ${task_id} paused`);
});

test("a question goes to the user through the client", async () => {
  const { client } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    expect(params.message).toBe("What is your name?");
    return { action: "accept" as const, content: { name: "Ada" } };
  });
  expect(await call(client, "greet_user", {})).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a client that cannot ask receives the question, and answer_task answers it", async () => {
  const { client } = await connect([greetTool], {});
  const asked = await call(client, "greet_user", {});
  expect(asked).toMatchObject({
    structuredContent: {
      status: "input_required",
      next_tool: "answer_task",
      questions: [{ key: "name", message: "What is your name?", user_only: false }],
    },
  });
  const { task_id } = asked.structuredContent as { task_id: string };
  const answer = { task_id, key: "name", action: "accept", content: { name: "Bo" } };
  await call(client, "answer_task", answer);
  expect(await call(client, "wait_for_task", { task_id })).toMatchObject({ content: [{ text: "Hello, Bo!" }] });
  expect(await call(client, "answer_task", answer)).toMatchObject({ isError: true });
});

test("a client that goes away in mid-call leaves its task, and the same call of another joins it (G7)", async () => {
  const gate = createGate();
  const { client, open } = await connect([countTool(gate)]);
  gate.open(2);
  const onprogress = ({ progress }: Progress) => void (progress === 2 && client.close());
  await expect(call(client, "count_to", { n: 4 }, { onprogress })).rejects.toThrow(/closed/);
  const seen: number[] = [];
  const next = ({ progress }: Progress) => {
    seen.push(progress);
    gate.open();
  };
  const second = call(await open(), "count_to", { n: 4 }, { onprogress: next });
  expect(await second).toMatchObject({ structuredContent: { counted: 4 } });
  expect(seen).toEqual([2, 3, 4]);
});

test("a question that its client took along is asked again by the same call of another (G9)", async () => {
  const { client, open } = await connect([greetTool], {}, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => client.close().then(() => new Promise(() => {})));
  await expect(call(client, "greet_user", {})).rejects.toThrow(/closed/);
  const other = await open();
  other.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" as const, content: { name: "Ada" } }));
  expect(await call(other, "greet_user", {})).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a call after the delivered result begins a new task", async () => {
  const { client } = await connect([countTool()]);
  const first = await call(client, "count_to", { n: 1 });
  const second = await call(client, "count_to", { n: 1 });
  expect(second._meta?.[metaKeys.taskId]).not.toBe(first._meta?.[metaKeys.taskId]);
});

test("waiting for a task whose tool no server has any more says so, and what can be done", async () => {
  const store = createMemoryStore();
  const before = await connect([countTool(createGate())], undefined, undefined, store);
  const running = await call(before.client, "count_to", { n: 3 }, {}, { [metaKeys.handoff]: 0 });
  const { task_id } = Object(running.structuredContent);
  store.kill({ noticed: true });
  const { client } = await connect([greetTool], undefined, undefined, store.anotherProcess());
  const waited = await call(client, "wait_for_task", { task_id, timeout_seconds: 1 });
  const message = `Task ${task_id} needs the tool "count_to", which this server does not have, and no other server has taken it up. Start a server that has the tool, or end the task with cancel_task.`;
  expect(waited).toEqual({
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code: "UNKNOWN_TOOL", message } },
    isError: true,
  });
  expect((await call(client, "get_task", { task_id })).structuredContent).toMatchObject({ task_id, interrupted: true });
});

test("messages behind a place of the journal leave out what was seen", async () => {
  const { client } = await connect([countTool()]);
  const first = await call(client, "count_to", { n: 4 });
  const task_id = first._meta?.[metaKeys.taskId];
  const seen: { progress: number; _meta?: unknown }[] = [];
  const onprogress = (progress: Progress) => void seen.push(progress);
  await call(client, "wait_for_task", { task_id }, { onprogress });
  const half = seen.filter(({ progress }) => progress > 2);
  const place = Reflect.get(Object(seen[1]?._meta), metaKeys.seq);
  seen.length = 0;
  await call(client, "wait_for_task", { task_id }, { onprogress }, { [metaKeys.afterSeq]: place });
  expect(seen).toEqual(half);
});

test("a name that is taken is refused at the start", () => {
  const server = new McpServer({ name: "test", version: "1" });
  server.registerTool("get_task", { description: "mine" }, () => ({ content: [] }));
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  closing.push(() => engine.close());
  expect(() => registerTools(server, engine)).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  const other = new McpServer({ name: "test", version: "1" });
  other.registerTool("get_task", { description: "mine" }, () => ({ content: [] }));
  registerTools(other, engine, { prefix: "long_" });
});

test("the prompt names unfinished tasks", async () => {
  const { client } = await connect([countTool(createGate())]);
  await call(client, "count_to", { n: 5 }, {}, { [metaKeys.handoff]: 0 });
  const { messages } = await client.getPrompt({ name: "unfinished_tasks" });
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining("count_to") } }]);
});

test("a hand-off leaves the task to recovery, unless its caller says that it stays", async () => {
  const gate = createGate();
  const { client, engine } = await connect([countTool(gate)]);
  const isDetached = async (n: number, meta: Record<string, unknown>) => {
    const running = await call(client, "count_to", { n }, {}, { [metaKeys.handoff]: 0, ...meta });
    const { task_id } = running.structuredContent as { task_id: string };
    return (await engine.readTask(task_id))?.record.detached;
  };
  expect(await isDetached(3, {})).toBe(true);
  expect(await isDetached(4, { [metaKeys.callerStays]: true })).toBe(false);
});

test("a call that joins a task receives where the task is, not everything from the beginning again (feature 12)", async () => {
  const gate = createGate();
  const { client, open, store } = await connect([countTool(gate)]);
  const listed = async () => (await store.listTasks({ limit: 1 })).tasks[0];
  const first = call(client, "count_to", { n: 5 }, { onprogress: () => {} });
  gate.open(3);
  while ((await listed())?.progress !== 3) await new Promise((resolve) => setImmediate(resolve));
  const seen: number[] = [];
  const second = call(
    await open(),
    "count_to",
    { n: 5 },
    {
      onprogress: ({ progress }: Progress) => {
        seen.push(progress);
        gate.open();
      },
    },
  );
  await Promise.all([first, second]);
  expect(seen).toEqual([3, 4, 5]);
});

/** Fails at 2 of 5 until it is well. */
function breakingTool(extras: { readonly onFailure?: "restart" }, error: Error) {
  const world = { well: false };
  const tool = defineTool({
    name: "count_up",
    description: "Counts, and breaks.",
    input: z.object({}),
    state: { at: 0 },
    ...extras,
    async *run(_input, task) {
      for (let at = task.state.at + 1; at <= 5; at++) {
        if (at === 3 && !world.well) throw error;
        yield { progress: at, total: 5, state: { at } };
      }
      return { attempts: task.attempt };
    },
  });
  return { tool, world };
}

test("the result of a failure says how far the task came, and the same call continues from there (G7, feature 37)", async () => {
  const { tool, world } = breakingTool({}, new Error("No network."));
  const { client } = await connect([tool]);
  const failed = await call(client, "count_up", {});
  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: "No network. The task came to 2/5 (40 %); the same call continues from its last checkpoint." }],
    structuredContent: {
      error: { code: "TOOL_FAILED", message: "No network.", progress: 2, total: 5, continues: "by_call" },
    },
  });
  world.well = true;
  const seen: number[] = [];
  const again = await call(client, "count_up", {}, { onprogress: ({ progress }: Progress) => seen.push(progress) });
  expect(again).toMatchObject({ structuredContent: { attempts: 2 } });
  expect(seen).toEqual([2, 3, 4, 5]);
});

test.each([
  ["after a TerminalError", {}, new TerminalError("No such city."), "never", "the same call begins from nothing."],
  [
    "where the tool says restart",
    { onFailure: "restart" } as const,
    new Error("No such city."),
    "by_resume",
    "resume_task continues from its last checkpoint, and the same call begins from nothing.",
  ],
])(
  "the result of a failure says that the same call begins from nothing %s (G7)",
  async (_when, extras, error, continues, end) => {
    const { tool } = breakingTool(extras, error);
    const { client } = await connect([tool]);
    const failed = await call(client, "count_up", {});
    expect(failed).toMatchObject({
      content: [{ text: `No such city. The task came to 2/5 (40 %); ${end}` }],
      structuredContent: { error: { continues } },
    });
  },
);
