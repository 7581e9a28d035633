import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { defineTool, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { registerTools } from "../src/index.js";
import { limits } from "../src/limits.js";
import { countTool, createGate } from "./counting-tool.js";
import { messagesOf, openEndpoint, withTasksExtension } from "./endpoint-2026.js";

/** One engine with a client of each era, and a task that is at 1 of 2. */
async function begin() {
  const gate = createGate();
  const era2026 = openEndpoint([countTool(gate, { title: "Count on" })]);
  onTestFinished(era2026.close);
  const era2025 = async (user: string) => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools(server, era2026.engine, { owner: () => user });
    const client = new Client({ name: "stock", version: "1" });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    return client;
  };
  const call = { name: "count_to", arguments: { n: 2 } };
  const { result } = await era2026.send("tools/call", call, { capabilities: withTasksExtension });
  const taskId = String(result.taskId);
  gate.open();
  for await (const followed of era2026.engine.forOwner("sub:ada").follow(taskId)) {
    if (followed.kind === "event" && followed.event.type === "checkpoint") break;
  }
  return { gate, era2026, era2025, taskId };
}

function dataOf(contents: unknown): JsonObject {
  const [first] = contents as readonly { readonly text: string }[];
  return JSON.parse(first?.text ?? "null");
}

test("both eras list an owner's tasks and read them, their journal and their items", async () => {
  const { era2026, era2025, taskId } = await begin();
  const client = await era2025("ada");
  const expected = { uri: `task://${taskId}`, title: expect.stringMatching(/^Count on \(/) };
  expect((await client.listResources()).resources).toMatchObject([expected]);
  expect((await era2026.send("resources/list")).result).toMatchObject({ resources: [expected] });
  const readBoth = async (uri: string) => {
    const { result } = await era2026.send("resources/read", { uri });
    const { contents } = await client.readResource({ uri });
    expect(dataOf(contents)).toEqual(dataOf(result.contents));
    return dataOf(contents);
  };
  expect(await readBoth(`task://${taskId}`)).toMatchObject({ task_id: taskId, progress: 1, total: 2 });
  expect(await readBoth(`task://${taskId}/items`)).toMatchObject({ items: [1], total: 1 });
  const journal = await readBoth(`task://${taskId}/journal`);
  expect(journal.events).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ type: "log", data: "step 1" }),
      expect.objectContaining({ type: "checkpoint", progress: 1 }),
    ]),
  );
  expect(journal.arguments).toEqual({ n: 2 });
  expect(JSON.stringify(journal)).not.toContain('"state"');
});

test("a foreign task is not a resource, and is answered like an unknown one", async () => {
  const { era2026, era2025, taskId } = await begin();
  const eve = await era2025("eve");
  expect((await eve.listResources()).resources).toEqual([]);
  for (const part of ["", "/journal", "/items"]) {
    const uri = `task://${taskId}${part}`;
    const missing = { code: -32_602, data: { uri } };
    await expect(eve.readResource({ uri })).rejects.toMatchObject(missing);
    expect((await era2026.send("resources/read", { uri }, { user: "eve" })).error).toMatchObject(missing);
  }
});

test("both eras link the artifacts of a task in its result, and read them, large ones in parts", async () => {
  const large = Buffer.alloc(limits.maxReadArtifactBytes + 10, 7);
  const tool = defineTool({
    name: "make",
    description: "Makes files.",
    input: z.object({}),
    durable: true,
    async run(_input, task) {
      await task.artifact("a b.csv", "x,y\n", { mimeType: "text/csv" });
      await task.artifact("bad.txt", new Uint8Array([0xff, 0xfe]), { mimeType: "text/plain" });
      await task.artifact("large.bin", large);
      return "made";
    },
  });
  const era2026 = openEndpoint([tool]);
  onTestFinished(era2026.close);
  const server = new McpServer({ name: "test", version: "1" });
  registerTools(server, era2026.engine, { owner: () => "ada" });
  const client = new Client({ name: "stock", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const called = await client.callTool({ name: "make", arguments: {} });
  const [, link, ...others] = called.content as JsonObject[];
  const taskId = String((called._meta as JsonObject)["resumable-mcp/task_id"]);
  const uri = `task://${taskId}/artifacts/a%20b.csv`;
  expect(link).toEqual({ type: "resource_link", uri, name: "a b.csv", mimeType: "text/csv", size: 4 });
  expect(others).toHaveLength(2);
  const { result } = await era2026.send("resources/read", { uri: `task://${taskId}` });
  expect(dataOf(result.contents).artifacts).toContainEqual({ name: "a b.csv", mime_type: "text/csv", bytes: 4, uri });
  const readBoth = async (artifact: string): Promise<JsonObject | undefined> => {
    const asked = { uri: `task://${taskId}/artifacts/${artifact}` };
    const { contents } = await client.readResource(asked);
    expect((await era2026.send("resources/read", asked)).result).toMatchObject({ contents });
    return contents[0] as JsonObject;
  };
  expect(await readBoth("a%20b.csv")).toEqual({ uri, mimeType: "text/csv", text: "x,y\n" });
  expect(await readBoth("bad.txt")).toMatchObject({ blob: "//4=" });
  const most = limits.maxReadArtifactBytes;
  const parts = [await readBoth("large.bin?from=0"), await readBoth(`large.bin?from=${most}`)];
  const whole = Buffer.concat(parts.map((part) => Buffer.from(String(part?.blob), "base64")));
  expect(whole.equals(large)).toBe(true);
  const tooLarge = client.readResource({ uri: `task://${taskId}/artifacts/large.bin` });
  await expect(tooLarge).rejects.toThrow(/maxReadArtifactBytes.*\?from=0.*GET \/artifacts\//);
  for (const missing of ["none.txt", "%E0%A4%A", "a%2Fb"])
    await expect(client.readResource({ uri: `task://${taskId}/artifacts/${missing}` })).rejects.toMatchObject({
      code: -32_602,
    });
  const foreign = await era2026.send("resources/read", { uri }, { user: "eve" });
  expect(foreign.error).toMatchObject({ code: -32_602, message: expect.stringContaining("not found") });
});

test("a session of the 2025 era hears of a task's changes as long as it subscribes", async () => {
  const { gate, era2025, taskId } = await begin();
  const client = await era2025("ada");
  const uri = `task://${taskId}`;
  const heard = new Promise<string>((resolve) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
  });
  await client.subscribeResource({ uri });
  gate.open();
  expect(await heard).toBe(uri);
  await client.unsubscribeResource({ uri });
});

test("subscriptions of a session leave nothing behind in the signal of its connection (G11)", async () => {
  const { era2025, taskId } = await begin();
  const client = await era2025("ada");
  const any = vi.spyOn(AbortSignal, "any");
  const listen = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const uri = `task://${taskId}`;
  const lasting = new Map<unknown, number>();
  for (let count = 0; count < 20; count++) {
    await client.subscribeResource({ uri });
    await client.unsubscribeResource({ uri });
  }
  for (const signal of listen.mock.contexts) lasting.set(signal, (lasting.get(signal) ?? 0) + 1);
  expect([any.mock.calls.length, Math.max(...lasting.values()) < 20]).toEqual([0, true]);
  any.mockRestore();
  listen.mockRestore();
});

test("a session that connects again subscribes again", async () => {
  const { gate, era2026, taskId } = await begin();
  const server = new McpServer({ name: "test", version: "1" });
  registerTools(server, era2026.engine, { owner: () => "ada" });
  const connect = async () => {
    const client = new Client({ name: "stock", version: "1" });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    return client;
  };
  const uri = `task://${taskId}`;
  const first = await connect();
  await first.subscribeResource({ uri });
  await first.close();
  const second = await connect();
  onTestFinished(() => second.close());
  const heard = new Promise<string>((resolve) => {
    second.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
  });
  await second.subscribeResource({ uri });
  gate.open();
  expect(await heard).toBe(uri);
});

test("a subscription of the 2026 era hears of a task's changes", async () => {
  const { gate, era2026, taskId } = await begin();
  const uri = `task://${taskId}/journal`;
  const response = await era2026.open("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });
  const messages = messagesOf(response);
  const next = async () => (await messages.next()).value;
  expect(await next()).toMatchObject({ params: { notifications: { resourceSubscriptions: [uri] } } });
  gate.open();
  expect(await next()).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
});
