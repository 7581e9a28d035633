import type { Client } from "@modelcontextprotocol/client";
import { createMemoryStore, defineTool, type JsonObject, type OwnedTasks, type Tool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { limits } from "../src/limits.js";
import { countTool, createGate, type Gate, greetTool } from "./counting-tool.js";
import { type Endpoint, messagesOf, openEndpoint } from "./endpoint-2026.js";

function endpoint(tools: readonly Tool[], store = createMemoryStore()): Endpoint {
  const opened = openEndpoint(tools, store);
  onTestFinished(opened.close);
  return opened;
}

async function connect(to: Endpoint, options: Parameters<Endpoint["connect"]>[0] = {}): Promise<Client> {
  const client = await to.connect(options);
  onTestFinished(() => client.close());
  return client;
}

const forms = { capabilities: { elicitation: {} } };
const call = (name: string, args: JsonObject = {}, more: JsonObject = {}) => ({ name, arguments: args, ...more });
const accept = (name: string) => ({ name: { action: "accept", content: { name } } });

test("a stock client without the extension sees progress and gets the result", async () => {
  const client = await connect(endpoint([countTool()]));
  const seen: number[] = [];
  const result = await client.callTool(call("count_to", { n: 3 }), {
    onprogress: ({ progress }) => seen.push(progress),
  });
  expect(seen).toEqual([1, 2, 3]);
  expect(result).toMatchObject({ structuredContent: { counted: 3, attempts: 1 } });
});

test("a stock client that can ask its user is asked, and the call ends with the answer", async () => {
  const client = await connect(endpoint([greetTool]), forms);
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { name: "Ada" } };
  });
  expect(await client.callTool(call("greet_user"))).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
  expect(asked).toEqual(["What is your name?"]);
});

test.each([
  ["without a progress token", {}],
  ["whose first progress comes later", { progressToken: "p" }],
])("the header of a response goes out while its call runs: %s", async (_, _meta) => {
  const gate = createGate();
  const { open, engine } = endpoint([countTool(gate)]);
  const response = await open("tools/call", call("count_to", { n: 2 }, { _meta }));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  expect(engine.running).toHaveLength(1);
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  expect(first).toBe(": working\n\n");
  gate.open(2);
  reader?.releaseLock();
  const messages: JsonObject[] = [];
  for await (const message of messagesOf(response)) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ result: { structuredContent: { counted: 2 } } });
  expect(messages).toHaveLength("progressToken" in _meta ? 3 : 1);
});

test("a client that leaves before its call has said anything stops its task", async () => {
  const { open, engine } = endpoint([countTool(createGate())]);
  const response = await open("tools/call", call("count_to", { n: 2 }));
  const [task] = engine.running;
  await response.body?.cancel();
  const tasks = engine.forOwner("sub:ada");
  await expect.poll(async () => (await tasks.get(task ?? "")).status).toBe("paused");
});

test("a client_id with characters that cannot be seen is refused, in _meta and as an argument", async () => {
  const { send } = endpoint([countTool()]);
  const message = expect.stringContaining("The client_id has control characters");
  for (const odd of ["\u001b[2Jlaptop of ada", "laptop\u202eada"]) {
    const none = { user: undefined };
    const extension = { capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } };
    const _meta = { [metaKeys.clientId]: odd };
    const refused = { result: { structuredContent: { error: { code: "NO_OWNER", message } } } };
    expect(await send("tools/call", call("count_to", { n: 1 }, { _meta }), none)).toMatchObject(refused);
    expect(await send("tools/call", call("get_checkpoint_stats", { client_id: odd }), none)).toMatchObject(refused);
    expect(await send("tasks/get", { taskId: "a".repeat(16), _meta }, { ...none, ...extension })).toMatchObject({
      error: { message },
    });
  }
});

test("a client that cannot ask is asked to call answer_task", async () => {
  const client = await connect(endpoint([greetTool]));
  const result = await client.callTool(call("greet_user"));
  expect(result).toMatchObject({ structuredContent: { status: "input_required", next_tool: "answer_task" } });
});

test("answers without the state find the same call again", async () => {
  const { send } = endpoint([greetTool]);
  const { result } = await send("tools/call", call("greet_user"), forms);
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { name: { method: "elicitation/create" } },
  });
  const answered = await send("tools/call", call("greet_user", {}, { inputResponses: accept("Bo") }), forms);
  expect(answered.result).toMatchObject({ content: [{ text: "Hello, Bo!" }] });
});

test("a state is refused when it was changed, and for another owner, tool or input", async () => {
  const greet = (name: string) =>
    defineTool({ ...facts, name, input: z.object({ to: z.string() }), run: async (_input, task) => ask(task) });
  const { send } = endpoint([greet("greet_one"), greet("greet_other")]);
  const { result } = await send("tools/call", call("greet_one", { to: "all" }), forms);
  const again = (name: string, to: string, requestState: unknown, user = "ada") =>
    send("tools/call", call(name, { to }, { inputResponses: accept("Bo"), requestState: String(requestState) }), {
      ...forms,
      user,
    });
  const refused = { error: { code: -32_602, data: { reason: "invalid_request_state" } } };
  expect(await again("greet_one", "all", `${result.requestState}x`)).toMatchObject(refused);
  expect(await again("greet_one", "all", "nonsense")).toMatchObject(refused);
  expect(await again("greet_one", "all", result.requestState, "eve")).toMatchObject(refused);
  expect(await again("greet_one", "none", result.requestState)).toMatchObject(refused);
  expect(await again("greet_other", "all", result.requestState)).toMatchObject(refused);
  expect(await again("greet_one", "all", result.requestState)).toMatchObject({
    result: { content: [{ text: "Hello, Bo!" }] },
  });
});

const facts = { description: "Greets.", durable: true } as const;

async function ask(task: Parameters<Parameters<typeof defineTool>[0]["run"]>[1]): Promise<string> {
  const answer = await task.ask("name", { message: "Name?", schema: z.object({ name: z.string() }) });
  return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "No name.";
}

test("a call handed off answers before the end, and wait_for_task gives the result", async () => {
  const gate = createGate();
  const client = await connect(endpoint([countTool(gate)]));
  const running = await client.callTool(call("count_to", { n: 1 }, { _meta: { [metaKeys.handoff]: 0 } }));
  expect(running).toMatchObject({ structuredContent: { status: "running", next_tool: "wait_for_task" } });
  gate.open();
  const { task_id } = running.structuredContent as JsonObject;
  expect(await client.callTool(call("wait_for_task", { task_id: task_id ?? "" }))).toMatchObject({
    structuredContent: { counted: 1 },
  });
});

test("the end of a stream stops the task at its next checkpoint, and the same call continues from there", async () => {
  const gate = createGate();
  const to = endpoint([countTool(gate)]);
  const abort = new AbortController();
  const progressToken = { _meta: { progressToken: "p" } };
  const response = await Promise.all([
    to.open("tools/call", call("count_to", { n: 3 }, progressToken), { signal: abort.signal }),
    gate.open(),
  ]);
  abort.abort();
  await response[0].body?.cancel().catch(() => {});
  const tasks = to.engine.forOwner("sub:ada");
  const [task] = (await tasks.list()).tasks;
  expect((await tasks.wait(task?.id ?? "")).reason).toBe("paused");
  gate.open(3);
  const { result } = await to.send("tools/call", call("count_to", { n: 3 }));
  expect(result).toMatchObject({ structuredContent: { counted: 3, attempts: 2 } });
  expect((await tasks.list()).tasks).toHaveLength(1);
});

test("a server that drains hands its calls over to the next one by a state", async () => {
  const gate = createGate();
  const store = createMemoryStore();
  const first = endpoint([countTool(gate)], store);
  const progressToken = { _meta: { progressToken: "p" } };
  const begun = first.open("tools/call", call("count_to", { n: 2 }, progressToken));
  gate.open();
  const response = await begun;
  await first.engine.drain();
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  const { result: roundTrip } = JSON.parse(lines.at(-1)?.slice(6) ?? "{}") as { result: JsonObject };
  expect(roundTrip).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
  expect(roundTrip).not.toHaveProperty("inputRequests");
  const second = endpoint([countTool(gate)], store);
  gate.open(2);
  const { result } = await second.send(
    "tools/call",
    call("count_to", { n: 2 }, { requestState: String(roundTrip.requestState) }),
  );
  expect(result).toMatchObject({ structuredContent: { counted: 2 } });
});

test("G5 what a task does while its questions are gathered is shown in the next round trip", async () => {
  const gate = createGate();
  const to = endpoint([askAndCountTool(gate)]);
  const tasks = to.engine.forOwner("sub:ada");
  const { setTimeout } = globalThis;
  const wait = vi.spyOn(globalThis, "setTimeout").mockImplementation((run, ms) => {
    if (ms !== limits.gatherQuestionsMs) return setTimeout(run, ms);
    gate.open();
    void untilProgress(tasks, 2).then(() => run());
    return setTimeout(() => {}, 0);
  });
  onTestFinished(async () => wait.mockRestore());
  const progressToken = { _meta: { progressToken: "p" } };
  const first = await to.open("tools/call", call("ask_and_count", {}, progressToken), forms);
  const messages = await all(messagesOf(first));
  const result = (messages.at(-1)?.result ?? {}) as JsonObject;
  const again = call(
    "ask_and_count",
    {},
    {
      ...progressToken,
      requestState: String(result.requestState),
      inputResponses: accept("Bo"),
    },
  );
  const more = await all(messagesOf(await to.open("tools/call", again, forms)));
  expect([progressOf(messages), progressOf(more)]).toEqual([[1], [2, 3]]);
});

/** Asks, and continues to count while its question is open. */
function askAndCountTool(gate: Gate) {
  return defineTool({
    name: "ask_and_count",
    description: "Asks and counts.",
    input: z.object({}),
    state: {},
    async *run(_input, task) {
      yield { progress: 1 };
      const answer = ask(task);
      await gate.pass();
      yield { progress: 2 };
      await answer;
      yield { progress: 3 };
      return answer;
    },
  });
}

async function untilProgress(tasks: OwnedTasks, progress: number): Promise<void> {
  const [task] = (await tasks.list()).tasks;
  for await (const followed of tasks.follow(task?.id ?? "")) {
    if (followed.kind === "event" && followed.event.type === "checkpoint" && followed.event.progress === progress)
      return;
  }
}

async function all(messages: AsyncIterable<JsonObject>): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const message of messages) found.push(message);
  return found;
}

function progressOf(messages: readonly JsonObject[]): readonly unknown[] {
  return messages.flatMap(({ method, params }) =>
    method === "notifications/progress" ? [(params as JsonObject).progress] : [],
  );
}

test("the end of a server that drains waits for the responses to its calls, however long the store takes", async () => {
  const [gate, slow] = [createGate(), createGate()];
  const store = createMemoryStore();
  const { getTask } = store;
  const to = endpoint([countTool(gate)], store);
  const begun = to.open("tools/call", call("count_to", { n: 2 }, { _meta: { progressToken: "p" } }));
  gate.open();
  const response = await begun;
  store.getTask = async (id) => {
    await slow.pass();
    return getTask(id);
  };
  const drained = to.engine.drain();
  const closed = to.handler.close();
  await drained;
  slow.open(1_000);
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  expect(JSON.parse(lines.at(-1)?.slice(6) ?? "{}")).toMatchObject({
    result: { resultType: "input_required", requestState: expect.any(String) },
  });
  await closed;
});

test("log messages come only at the level that the request asks for", async () => {
  const to = endpoint([countTool()]);
  const logsOf = async (level?: string) => {
    const _meta: JsonObject = level === undefined ? {} : { "io.modelcontextprotocol/logLevel": level };
    const response = await to.open("tools/call", call("count_to", { n: 2 }, { _meta }));
    return (await response.text()).match(/notifications\/message/g)?.length ?? 0;
  };
  expect([await logsOf(), await logsOf("error"), await logsOf("info")]).toEqual([0, 0, 2]);
});

test("keys that only a supervisor may set are not taken from a client", async () => {
  const to = endpoint([countTool()]);
  const { result } = await to.send("tools/call", call("count_to", { n: 1 }));
  const taskId = (result._meta as JsonObject)[metaKeys.taskId] ?? "";
  const _meta = { [metaKeys.redelivered]: true, [metaKeys.callId]: taskId };
  const other = await to.send("tools/call", call("count_to", { n: 2 }, { _meta }));
  expect(other.result).toMatchObject({ structuredContent: { counted: 2 } });
});
