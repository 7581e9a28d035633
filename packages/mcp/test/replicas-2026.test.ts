import { createMemoryStore, type JsonObject, type Tool } from "@resumable-mcp/core";
import { afterEach, expect, test } from "vitest";
import { countTool, createGate, greetTool } from "./counting-tool.js";
import { type Endpoint, messagesOf, openEndpoint, withTasksExtension } from "./endpoint-2026.js";

const closing: Endpoint[] = [];
afterEach(async () => {
  for (const endpoint of closing.splice(0).reverse()) await endpoint.close();
});

/** Two servers over one store, as two replicas behind one address. */
function openReplicas(tools: readonly Tool[]) {
  const store = createMemoryStore();
  const [here, there] = [openEndpoint(tools, store), openEndpoint(tools, store.anotherProcess())];
  closing.push(here, there);
  return { here, there };
}

const declared = { capabilities: withTasksExtension };
const forms = { capabilities: { elicitation: {} } };
const accept = { action: "accept", content: { name: "Ada" } };

async function startTask(to: Endpoint, name: string, args: JsonObject): Promise<string> {
  const { result } = await to.send("tools/call", { name, arguments: args }, declared);
  return String(result.taskId);
}

test("G9 a question that a call asked at one replica is answered by its next round trip at another", async () => {
  const { here, there } = openReplicas([greetTool]);
  const call = { name: "greet_user", arguments: {} };
  const { result } = await here.send("tools/call", call, forms);
  expect(result).toMatchObject({ resultType: "input_required", inputRequests: { name: {} } });
  const answered = { ...call, inputResponses: { name: accept }, requestState: String(result.requestState) };
  const last = await there.send("tools/call", answered, forms);
  expect(last.result).toMatchObject({ content: [{ type: "text", text: "Hello, Ada!" }] });
});

test("a task that runs at one replica is read, answered and cancelled at another", async () => {
  const gate = createGate();
  const { here, there } = openReplicas([greetTool, countTool(gate)]);
  const asking = await startTask(here, "greet_user", {});
  const get = async (taskId: string) => (await there.send("tasks/get", { taskId }, declared)).result;
  while ((await get(asking)).status !== "input_required");
  await there.send("tasks/update", { taskId: asking, inputResponses: { name: accept } }, declared);
  while ((await get(asking)).status !== "completed");
  expect(await get(asking)).toMatchObject({ result: { content: [{ text: "Hello, Ada!" }] } });
  const counting = await startTask(here, "count_to", { n: 2 });
  await there.send("tasks/cancel", { taskId: counting }, declared);
  gate.open(2);
  while ((await get(counting)).status === "working");
  expect(await get(counting)).toMatchObject({ status: "cancelled" });
});

test("a subscription at one replica reports a task that runs at another", async () => {
  const gate = createGate();
  const { here, there } = openReplicas([countTool(gate)]);
  const taskId = await startTask(here, "count_to", { n: 1 });
  const wanted = { notifications: { taskIds: [taskId] } };
  const statuses = new Set<unknown>();
  for await (const { method, params } of messagesOf(await there.open("subscriptions/listen", wanted, declared))) {
    if (method !== "notifications/tasks") continue;
    const { status } = params as JsonObject;
    statuses.add(status);
    if (status === "working") gate.open();
    if (status === "completed") break;
  }
  expect([...statuses]).toEqual(["working", "completed"]);
});
