import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ElicitRequestSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { createEngine } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

async function start(store: string, port = 0) {
  // Clients try twice: on a slow machine the server is away for seconds, though not for the default time.
  return startServer([toolsModule, "--port", String(port), "--store", store], { RESUMABLE_MCP_RETRY: "4s" });
}

/** A server with a client, which is killed and started again at its port; only the first time counts. */
async function restartable() {
  const store = await testFolder();
  let server = await start(store);
  const { client } = await connectStock(server.url);
  let restarted: Promise<void> | undefined;
  const restart = async () => {
    await server.kill();
    server = await start(store, server.port);
  };
  return { store, client, restartOnce: () => (restarted ??= restart()) };
}

test("G5 a call in flight survives SIGKILL of the server: the result is complete, progress rises without gap or repeat", async () => {
  const { client, restartOnce } = await restartable();
  const seen: number[] = [];
  const onprogress = ({ progress }: Progress) => {
    seen.push(progress);
    if (progress === 5) void restartOnce();
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, { onprogress });
  await restartOnce();
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect(seen).toEqual(count(40));
  const items = await client.callTool({
    name: "get_task_items",
    arguments: { task_id: result._meta?.["resumable-mcp/task_id"] },
  });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
});

/** What an ordinary tool that is in flight at the kill is answered with, and what it wrote. */
async function killWhileWriting(name: string) {
  const { store, client, restartOnce } = await restartable();
  const file = join(store, "lines.txt");
  const onprogress = () => void restartOnce();
  const result = await client.callTool({ name, arguments: { file } }, undefined, { onprogress });
  await restartOnce();
  return { result, written: await readFile(file, "utf8") };
}

test("an ordinary tool in flight at the kill runs once, and its caller learns that the outcome is unknown", async () => {
  const { result, written } = await killWhileWriting("append_line");
  const text =
    "The server restarted while append_line ran; it may or may not have taken effect. Check before calling again.";
  expect(result).toMatchObject({ isError: true, content: [{ text }] });
  expect(written).toBe("ran\n");
});

test("an ordinary tool that says it is idempotent runs again after the kill", async () => {
  const { result, written } = await killWhileWriting("append_again");
  expect(result).toMatchObject({ content: [{ text: "done" }] });
  expect(written).toBe("ran\nran\n");
});

test("a new client process that kept session id and event id gets the result of the call that the old one began", async () => {
  const store = await testFolder();
  const server = await start(store);
  const first = await connectStock(server.url);
  let token = "";
  const lost = new Promise<void>((resolve) => {
    const options = {
      onresumptiontoken: (value: string) => {
        token = value;
      },
      onprogress: ({ progress }: Progress) => {
        if (progress === 3) resolve();
      },
    };
    first.client.callTool({ name: "count_to", arguments: { n: 20 } }, undefined, options).catch(() => {});
  });
  await lost;
  const { sessionId } = first.transport;
  // A client that dies takes its connections with it and says no goodbye.
  await first.client.close();
  const { client, transport } = await connectStock(server.url, {
    transport: sessionId === undefined ? {} : { sessionId },
  });
  transport.setProtocolVersion("2025-11-25");
  const result = await client.callTool({ name: "count_to", arguments: {} }, undefined, { resumptionToken: token });
  expect(result).toMatchObject({ structuredContent: { counted: 20 } });
});

test("G9 a question survives SIGKILL of the server: it is shown once, and its answer reaches the new process", async () => {
  const store = await testFolder();
  let server = await start(store);
  const { client } = await connectStock(server.url, { capabilities: { elicitation: {} } });
  let shown = 0;
  client.setRequestHandler(ElicitRequestSchema, async () => {
    shown += 1;
    await server.kill();
    server = await start(store, server.port);
    return { action: "accept" as const, content: { name: "Ada" } };
  });
  const result = await client.callTool({ name: "ask_name", arguments: {} });
  expect(result).toMatchObject({ content: [{ text: "Ada" }] });
  expect(shown).toBe(1);
});

test("a task that was handed off continues by itself after the kill, and wait_for_task gives its result", async () => {
  const store = await testFolder();
  const server = await start(store);
  const { client, transport } = await connectStock(server.url);
  const handoff = { "resumable-mcp/handoff": 0 };
  const running = await client.callTool({ name: "count_to", arguments: { n: 30 }, _meta: handoff });
  expect(running).toMatchObject({ structuredContent: { status: "running", next_tool: "wait_for_task" } });
  await server.kill();
  const again = await start(store, server.port);
  expect(again.port).toBe(server.port);
  expect(transport.sessionId).toBeDefined();
  const { task_id } = running.structuredContent as { task_id: string };
  const result = await client.callTool({ name: "wait_for_task", arguments: { task_id } });
  expect(result).toMatchObject({ structuredContent: { counted: 30 } });
});

test("G1 a task whose caller died with the server resumes by itself, and the banner says so", async () => {
  const store = await testFolder();
  const server = await start(store);
  const { client } = await connectStock(server.url);
  let killed: Promise<unknown> | undefined;
  const onprogress = ({ progress }: Progress) => {
    if (progress === 5) killed ??= Promise.all([client.close(), server.kill()]);
  };
  const calling = client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, { onprogress });
  await expect(calling).rejects.toThrow();
  await killed;
  const args = [toolsModule, "--port", "0", "--store", store, "--recover-after", "1s"];
  const again = await startServer(args);
  const reader = createFsStore({ directory: store });
  const [task] = (await reader.listTasks({ limit: 10 })).tasks;
  const onlooker = createEngine({ store: reader, tools: [] });
  const ended = await onlooker.forOwner(task?.owner ?? "").wait(task?.id ?? "");
  expect(ended).toMatchObject({ status: "completed", record: { attempt: 2, progress: 40, itemCount: 40 } });
  await onlooker.close();
  const { stderr } = await again.stop("SIGTERM");
  expect(stderr).toContain("\nunfinished tasks: 1 resume when their caller returns, or after 1 s\n");
});
