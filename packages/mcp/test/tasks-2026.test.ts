import {
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  TaskStatusNotificationV2Schema,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import { createMemoryStore, defineTool, type JsonObject, type Tool } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { type Endpoint, messagesOf, openEndpoint, withTasksExtension } from "./endpoint-2026.js";

function endpoint(...tools: Tool[]): Endpoint {
  const opened = openEndpoint(tools);
  onTestFinished(opened.close);
  return opened;
}

const declared = { capabilities: withTasksExtension };

async function startTask({ send }: Endpoint, name: string, args: JsonObject = {}): Promise<string> {
  const { result } = await send("tools/call", { name, arguments: args }, declared);
  return CreateTaskResultV2Schema.parse(result).taskId;
}

/** Polls as a client does, until the task is as far as a test needs it. */
async function pollUntil(
  to: Endpoint,
  taskId: string,
  status: string,
  enough: (task: JsonObject) => boolean = () => true,
) {
  for (;;) {
    const { result } = await to.send("tasks/get", { taskId }, declared);
    GetTaskResultV2Schema.parse(result);
    if (result.status === status && enough(result)) return result;
    await to.engine.forOwner("sub:ada").wait(taskId, { timeoutMs: 5 });
  }
}

const twoQuestions = defineTool({
  name: "two_questions",
  description: "Asks two questions at once.",
  input: z.object({}),
  durable: true,
  run: async (_input, task) => {
    const schema = z.object({ name: z.string() });
    const answers = await Promise.all([
      task.ask("first", { message: "First?", schema }),
      task.ask("second", { message: "Second?", schema }),
    ]);
    return JSON.stringify(answers);
  },
});

const breaking = (message: string, code?: number) =>
  defineTool({
    name: "breaking",
    description: "Throws.",
    input: z.object({}),
    run: async () => {
      throw Object.assign(new Error(message), code === undefined ? {} : { code });
    },
  });

const accept = (name: string) => ({ action: "accept", content: { name } });

test("discovery advertises the extension as an empty object", async () => {
  const { result } = await endpoint(countTool()).send("server/discover");
  expect(result.capabilities).toMatchObject({ extensions: { "io.modelcontextprotocol/tasks": {} } });
});

test("a call becomes a task that exists before its id is known, and ends with the tool's result", async () => {
  const gate = createGate();
  const to = endpoint(countTool(gate));
  const { result } = await to.send("tools/call", { name: "count_to", arguments: { n: 2 } }, declared);
  const created = CreateTaskResultV2Schema.parse(result);
  expect(created).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
  expect(Object.keys(result)).not.toContain("content");
  expect((await to.engine.readTask(created.taskId))?.record).toMatchObject({ detached: true });
  gate.open();
  const working = await pollUntil(to, created.taskId, "working", ({ statusMessage }) =>
    String(statusMessage).includes("1/2"),
  );
  expect(working.statusMessage).toBe("running: 1/2 (50 %), Counted 1/2");
  gate.open();
  expect(await pollUntil(to, created.taskId, "completed")).toMatchObject({
    resultType: "complete",
    statusMessage: "completed",
    ttlMs: expect.any(Number),
    result: { resultType: "complete", structuredContent: { counted: 2, attempts: 1 } },
  });
});

test("a tool that failed is completed with an error as its result", async () => {
  const to = endpoint(breaking("It broke."));
  const taskId = await startTask(to, "breaking");
  expect(await pollUntil(to, taskId, "completed")).toMatchObject({
    statusMessage: "failed: It broke.",
    result: {
      isError: true,
      content: [{ type: "text", text: "It broke. The same call continues the task from its last checkpoint." }],
    },
  });
});

test("a JSON-RPC error that the tool threw makes the task failed, with its code", async () => {
  const to = endpoint(breaking("Panic.", -32_603));
  const taskId = await startTask(to, "breaking");
  const failed = await pollUntil(to, taskId, "failed");
  expect(failed).toMatchObject({ error: { code: -32_603, message: "Panic." } });
  expect(failed).not.toHaveProperty("result");
});

test("cancelling is acknowledged with nothing else, also when nothing is left to cancel", async () => {
  const to = endpoint(countTool(createGate()));
  const taskId = await startTask(to, "count_to", { n: 2 });
  const empty = { resultType: "complete", _meta: expect.anything() };
  expect((await to.send("tasks/cancel", { taskId }, declared)).result).toEqual(empty);
  await pollUntil(to, taskId, "cancelled");
  expect((await to.send("tasks/cancel", { taskId }, declared)).result).toEqual(empty);
});

test("several questions may be answered one by one", async () => {
  const to = endpoint(twoQuestions);
  const taskId = await startTask(to, "two_questions");
  const both = (task: JsonObject) => Object.keys(task.inputRequests ?? {}).length === 2;
  expect(await pollUntil(to, taskId, "input_required", both)).toMatchObject({
    inputRequests: { first: { method: "elicitation/create", params: { message: "First?" } } },
  });
  const update = (inputResponses: JsonObject) => to.send("tasks/update", { taskId, inputResponses }, declared);
  await update({ first: accept("Ada"), unknown: accept("Cy") });
  const { result } = await to.send("tasks/get", { taskId }, declared);
  expect(result.status).toBe("input_required");
  expect(Object.keys(result.inputRequests ?? {})).toEqual(["second"]);
  await update({ first: accept("Dee"), second: accept("Bo") });
  const ended = await pollUntil(to, taskId, "completed");
  expect(ended).toMatchObject({
    result: { content: [{ text: JSON.stringify([accept("Ada"), accept("Bo")]) }] },
  });
});

test("answers to questions that were not asked cost no look into the store, however many one request has", async () => {
  const store = createMemoryStore();
  const looks = vi.spyOn(store, "getTask");
  const to = openEndpoint([twoQuestions], store);
  onTestFinished(to.close);
  const taskId = await startTask(to, "two_questions");
  await pollUntil(to, taskId, "input_required");
  looks.mockClear();
  const inputResponses = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, accept("x")]));
  await to.send("tasks/update", { taskId, inputResponses }, declared);
  // The request reads the task once; the attempt that asks may read it a few times meanwhile.
  expect(looks.mock.calls.length).toBeLessThan(10);
});

test("an answer that does not fit its question is refused, and the question stays open", async () => {
  const to = endpoint(greetTool);
  const taskId = await startTask(to, "greet_user");
  await pollUntil(to, taskId, "input_required");
  const inputResponses = { name: { action: "accept", content: { name: 7 } } };
  const { error } = await to.send("tasks/update", { taskId, inputResponses }, declared);
  expect(error).toMatchObject({ code: -32_602, data: { code: "INVALID_VALUE" } });
  await pollUntil(to, taskId, "input_required");
});

test("without the extension the methods answer -32021, and so does a tool that needs a task", async () => {
  const to = endpoint(defineTool({ ...greetToolFacts, taskSupport: "required" }));
  const requiredCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const missing = { code: -32_021, data: { requiredCapabilities } };
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    expect(await to.send(method, { taskId: "any", inputResponses: {} })).toMatchObject({ status: 400, error: missing });
  }
  const call = await to.send("tools/call", { name: "needs_task", arguments: {} });
  expect(call).toMatchObject({ status: 400, error: missing });
  expect(await to.engine.forOwner("sub:ada").count()).toMatchObject({ total: 0 });
});

const greetToolFacts = {
  name: "needs_task",
  description: "Needs a task.",
  input: z.object({}),
  run: async () => "done",
};

test("a tool that forbids tasks answers with its result though the client declared them", async () => {
  const to = endpoint(defineTool({ ...greetToolFacts, taskSupport: "forbidden" }));
  const { result } = await to.send("tools/call", { name: "needs_task", arguments: {} }, declared);
  expect(result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
});

test("a foreign task is answered like one that does not exist, by every method", async () => {
  const to = endpoint(countTool(createGate()));
  const taskId = await startTask(to, "count_to", { n: 1 });
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    const ask = (id: string) => to.send(method, { taskId: id, inputResponses: {} }, { ...declared, user: "eve" });
    const [foreign, unknown] = [await ask(taskId), await ask("0".repeat(32))];
    expect(foreign.error).toMatchObject({ code: -32_602 });
    expect(JSON.stringify(foreign.error).replaceAll(taskId, "")).toBe(
      JSON.stringify(unknown.error).replaceAll("0".repeat(32), ""),
    );
    expect(foreign.status).toBe(unknown.status);
  }
});

test("a call that does not say whose it is gets an error that says so", async () => {
  const { result } = await endpoint(countTool()).send(
    "tools/call",
    { name: "count_to", arguments: { n: 1 } },
    { user: undefined },
  );
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: "NO_OWNER" } } });
});

test("the prompt of unfinished tasks of a caller without an owner is refused for that, as no fault of the server", async () => {
  const { send } = endpoint(countTool());
  const { error } = await send("prompts/get", { name: "unfinished_tasks" }, { user: undefined });
  expect(error).toMatchObject({ code: -32_602, data: { code: "NO_OWNER" } });
});

test("a subscription tells of its tasks' changes until the server ends it", async () => {
  const gate = createGate();
  const to = endpoint(countTool(gate));
  const taskId = await startTask(to, "count_to", { n: 1 });
  const wanted = { notifications: { taskIds: [taskId, "unknown"] } };
  const stream = messagesOf(await to.open("subscriptions/listen", wanted, declared));
  const next = async () => (await stream.next()).value as JsonObject;
  expect(await next()).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { taskIds: [taskId] } },
  });
  expect(TaskStatusNotificationV2Schema.parse(await next()).params.status).toBe("working");
  gate.open();
  let last = await next();
  while ((last.params as JsonObject).status !== "completed") last = await next();
  expect(last.params).toMatchObject({
    taskId,
    result: { structuredContent: { counted: 1 } },
    _meta: { "io.modelcontextprotocol/subscriptionId": expect.any(Number) },
  });
  await to.handler.close();
  expect(await next()).toMatchObject({ result: { resultType: "complete" } });
  expect((await stream.next()).done).toBe(true);
});

test("a subscription tells nothing of a foreign task", async () => {
  const to = endpoint(countTool());
  const taskId = await startTask(to, "count_to", { n: 1 });
  const wanted = { notifications: { taskIds: [taskId] } };
  const stream = messagesOf(await to.open("subscriptions/listen", wanted, { ...declared, user: "eve" }));
  expect(await stream.next()).toMatchObject({ value: { params: { notifications: { taskIds: [] } } } });
  await to.handler.close();
  expect(await stream.next()).toMatchObject({ value: { result: { resultType: "complete" } } });
});

test("listening to tasks needs the extension", async () => {
  const response = await endpoint().open("subscriptions/listen", { notifications: { taskIds: ["any"] } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32_021 } });
});
