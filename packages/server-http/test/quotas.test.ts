import { metaKeys } from "@resumable-mcp/protocol";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";
import { rawCaller } from "./two-owners/raw-caller.js";

/** The refusal of a request for one more than the limit. */
const refusedFor = (code: string, limit: string) => ({
  isError: true,
  structuredContent: { error: { code, message: expect.stringContaining(limit) } },
});

test("quotas bound tasks, sessions and bytes, and say which of them is reached (G11)", async () => {
  const store = await testFolder();
  const args = [toolsModule, "--port", "0", "--store", store];
  const perOwner = { RESUMABLE_MCP_MAX_RUNNING_PER_OWNER: "1", RESUMABLE_MCP_MAX_SESSIONS_PER_OWNER: "1" };
  const kept = ["--keep-finished", "30d", "--keep-finished", "count_to=1h"];
  const server = await startServer([...args, ...kept], {
    ...perOwner,
    RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER: "1",
    RESUMABLE_MCP_MAX_STORE_TASKS: "2",
  });
  const { client } = await connectStock(server.url);
  const count = (n: number) => client.callTool({ name: "count_to", arguments: { n } });

  const asked = await client.callTool({ name: "ask_name", arguments: {} });
  expect(await count(1)).toMatchObject(refusedFor("LIMIT_EXCEEDED", "maxUnfinishedPerOwner"));
  const second = await rawCaller(server.url, { subject: "any", owner: undefined, headers: {} }).initialize();
  expect([second.status, second.body]).toEqual([429, expect.stringContaining("maxSessionsPerOwner = 1")]);

  const { task_id } = asked.structuredContent as { readonly task_id: string };
  for (const name of ["cancel_task", "wait_for_task"]) await client.callTool({ name, arguments: { task_id } });
  expect(await count(1)).toMatchObject({ structuredContent: { counted: 1 } });
  expect(await count(2)).toMatchObject(refusedFor("QUOTA_EXCEEDED", "maxStoreTasks = 2"));

  await server.stop("SIGTERM");
  const { tasks } = await createFsStore({ directory: store }).listTasks({ limit: 10 });
  const hourMs = 60 * 60 * 1000;
  expect(tasks.map(({ tool, ttlMs }) => [tool, ttlMs])).toEqual([
    ["count_to", hourMs],
    ["ask_name", 30 * 24 * hourMs],
  ]);
  const crowded = await startServer(args, { RESUMABLE_MCP_MIN_FREE_DISK: "1024TiB" });
  const tooMany = await (await connectStock(crowded.url)).client.callTool({ name: "count_to", arguments: { n: 3 } });
  expect(tooMany).toMatchObject(refusedFor("QUOTA_EXCEEDED", "minFreeBytes"));
  await crowded.stop("SIGTERM");
  const full = await startServer(args, { RESUMABLE_MCP_MAX_STORE_BYTES: "1KiB" });
  const late = await (await connectStock(full.url)).client.callTool({ name: "count_to", arguments: { n: 3 } });
  expect(late).toMatchObject(refusedFor("QUOTA_EXCEEDED", "maxStoreBytes = 1024"));
});

test("two servers let an owner have as many tasks as one, of 60 calls at the same moment (G11.4)", async () => {
  const args = [toolsModule, "--port", "0", "--store", await testFolder()];
  const env = { RESUMABLE_MCP_MAX_UNFINISHED_PER_OWNER: "5" };
  const servers = await Promise.all([startServer(args, env), startServer(args, env)]);
  const clients = await Promise.all(servers.map(async ({ url }) => (await connectStock(url)).client));
  const calls = Array.from({ length: 60 }, (_, index) => {
    const _meta = { [metaKeys.newTask]: `run-${index}` };
    return clients[index % 2]?.callTool({ name: "ask_name", arguments: {}, _meta });
  });
  const results = await Promise.all(calls);
  const refused = results.filter((result) => result?.isError === true);
  const refusal = refusedFor("LIMIT_EXCEEDED", "maxUnfinishedPerOwner");
  expect([refused.length, refused[0]]).toEqual([55, expect.objectContaining(refusal)]);
  const accepted = results.filter((result) => result?.isError !== true);
  const asking = { structuredContent: { task_id: expect.any(String), status: "input_required" } };
  expect(accepted).toMatchObject(Array(5).fill(asking));
});
