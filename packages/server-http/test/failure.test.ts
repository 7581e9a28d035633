import { EventEmitter, once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { afterwards, startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const module = fileURLToPath(new URL("./failing-tools-module.js", import.meta.url));
const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const came = (rest: string) => `The task reached 25/50 (50 %); ${rest}`;
const continues = came("the same call continues the task from its last checkpoint.");
const begins = came("the same call starts from the beginning.");

async function scene() {
  const folder = await testFolder();
  const store = join(folder, "store");
  return {
    call: { arguments: { folder }, _meta: { "resumable-mcp/client_id": clientId } },
    well: () => writeFile(join(folder, "well"), ""),
    hold: () => writeFile(join(folder, "hold"), ""),
    letGo: () => rm(join(folder, "hold")),
    work: async () => (await readFile(join(folder, "work.txt"), "utf8")).trim().split("\n").map(Number),
    server: async () => {
      const { url } = await startServer([module, "--port", "0", "--store", store]);
      return (await connectStock(url)).client;
    },
    tasks: async () => {
      const reader = createFsStore({ directory: store });
      afterwards(() => reader.close());
      const { tasks } = await reader.listTasks({ limit: 10 });
      return Promise.all(tasks.map(async ({ id }) => (await reader.getTask(id))?.record));
    },
  };
}

const taskOf = (result: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }) =>
  result._meta?.["resumable-mcp/task_id"];

async function control(client: Client, name: string, task_id: unknown) {
  return client.callTool({ name, arguments: { task_id, client_id: clientId } });
}

test("the same call continues a task that failed at 25 of 50 as generation 2, and each record is worked off once (G2, G7)", async () => {
  const { call, well, work, server, tasks } = await scene();
  const client = await server();
  const failed = await client.callTool({ name: "process_records", ...call });
  expect(failed).toMatchObject({ isError: true, content: [{ text: `No network. ${continues}` }] });
  await well();
  const again = await client.callTool({ name: "process_records", ...call });
  expect(again).toMatchObject({ structuredContent: { records: 50, attempts: 2 } });
  expect(taskOf(again)).toBe(taskOf(failed));
  expect(await control(client, "get_task_items", taskOf(again))).toMatchObject({
    structuredContent: { items: count(50), total: 50 },
  });
  expect(await tasks()).toMatchObject([{ status: "completed", generation: 2, progress: 50, itemCount: 50 }]);
  expect(await work()).toEqual(count(50));
});

test("the same call at two servers on one store at once continues a failed task once, and both give its result (G4, G7)", async () => {
  const { call, well, hold, letGo, work, server, tasks } = await scene();
  const clients = await Promise.all([server(), server()]);
  const failed = await clients[0].callTool({ name: "process_records", ...call });
  expect(failed).toMatchObject({ isError: true });
  await Promise.all([well(), hold()]);
  const calls = clients.map((client) => {
    const seen = new EventEmitter();
    const joined = once(seen, "progress");
    const onprogress = () => seen.emit("progress");
    return { joined, result: client.callTool({ name: "process_records", ...call }, undefined, { onprogress }) };
  });
  await Promise.all(calls.map(({ joined }) => joined));
  await letGo();
  const results = await Promise.all(calls.map(({ result }) => result));
  for (const result of results) {
    expect(result).toMatchObject({ structuredContent: { records: 50, attempts: 2 } });
    expect(taskOf(result)).toBe(taskOf(failed));
  }
  expect(await tasks()).toMatchObject([{ status: "completed", generation: 2, progress: 50, itemCount: 50 }]);
  expect(await work()).toEqual(count(50));
});

test("wait_for_task, get_task and the call say the same of a failure, after which the call continues or begins from nothing (G7)", async () => {
  const { call, work, server, tasks } = await scene();
  const client = await server();
  for (const [name, message, continuation, by] of [
    ["process_records", "No network.", continues, "by_call"],
    ["process_or_refuse", "No such city.", begins, "never"],
  ] as const) {
    const failed = await client.callTool({ name, ...call });
    const task_id = taskOf(failed);
    const error = { code: expect.any(String), message, continuation, continues: by };
    const result = {
      isError: true,
      content: [{ type: "text", text: `${message} ${continuation}` }],
      structuredContent: { error: { ...error, task_id, progress: 25, total: 50 } },
    };
    expect(failed).toMatchObject(result);
    expect(await control(client, "wait_for_task", task_id)).toMatchObject(result);
    expect(await control(client, "get_task", task_id)).toMatchObject({
      structuredContent: { task_id, status: "failed", error },
    });
  }
  const refused = await client.callTool({ name: "process_or_refuse", ...call });
  const forced = { ...call, _meta: { ...call._meta, "resumable-mcp/new_task": true } };
  const anotherRun = await client.callTool({ name: "process_records", ...forced });
  expect([refused, anotherRun]).toMatchObject([{ isError: true }, { isError: true }]);
  for (let run = 1; run <= 2; run += 1) {
    const handedOff = { ...call, _meta: { ...call._meta, "resumable-mcp/handoff": 0 } };
    const running = await client.callTool({ name: "process_or_wait", ...handedOff });
    const { task_id } = running.structuredContent as { task_id: string };
    const reached = () => control(client, "get_task", task_id);
    await expect.poll(reached).toMatchObject({ structuredContent: { progress: 25 } });
    await control(client, "cancel_task", task_id);
    expect(await control(client, "wait_for_task", task_id)).toMatchObject({
      structuredContent: { error: { code: "CANCELLED" } },
    });
  }
  const all = (await tasks()).map((task) => [task?.tool, task?.status, task?.generation, task?.progress]);
  expect(all.toSorted()).toEqual([
    ["process_or_refuse", "failed", 1, 25],
    ["process_or_refuse", "failed", 1, 25],
    ["process_or_wait", "cancelled", 1, 25],
    ["process_or_wait", "cancelled", 1, 25],
    ["process_records", "failed", 1, 25],
    ["process_records", "failed", 1, 25],
  ]);
  expect(await work()).toEqual(Array.from({ length: 6 }, () => count(25)).flat());
});
