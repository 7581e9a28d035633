import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, test } from "vitest";
import { childrenOf, connectHost, killServer, testFolder, toolsModule } from "./stdio-host.js";

const [ada, bob] = ["ada-laptop", "bob-laptop"];
const detached = { "resumable-mcp/handoff": 0 };
const longRun = { n: 10_000 };

/** Calls a tool, and gives what it answers as data. */
async function dataOf(client: Client, name: string, args: Record<string, unknown> = {}, _meta = {}) {
  const { structuredContent, _meta: meta } = await client.callTool({ name, arguments: args, _meta });
  return { taskId: String(meta?.["resumable-mcp/task_id"]), data: structuredContent };
}

const statsWith = (running: number, paused: number) => ({
  checkpoint_stats: { running, paused },
  total_checkpoints: running + paused,
});

test.each([
  ["the supervisor", []],
  ["no supervisor", ["--no-supervise"]],
])("calls without client_id mean the client that the connection named last, with %s (G10)", async (_title, flags) => {
  const { client } = await connectHost([toolsModule, "--store", await testFolder(), ...flags]);
  const first = await dataOf(client, "count_to", { ...longRun, client_id: ada }, detached);
  await dataOf(client, "count_to", { n: longRun.n + 1, client_id: ada }, detached);
  expect((await dataOf(client, "pause_task", { task_id: first.taskId })).data).toMatchObject({
    message: `Task ${first.taskId} paused correctly`,
  });
  expect((await dataOf(client, "get_session_info")).data).toMatchObject({ client_id: ada });
  expect((await dataOf(client, "get_checkpoint_stats", { client_id: bob })).data).toMatchObject(statsWith(0, 0));
  expect((await dataOf(client, "list_session_tasks")).data).toMatchObject({ persistent_id: bob, total_tasks: 0 });
  const listed = await dataOf(client, "list_session_tasks", {}, { "resumable-mcp/client_id": ada });
  expect(listed.data).toMatchObject({ persistent_id: ada, total_tasks: 2 });
  expect((await dataOf(client, "get_checkpoint_stats")).data).toMatchObject({ total_checkpoints: 2 });
});

test("the client of a connection is known after a SIGKILL of the server (G1, G10)", async () => {
  const { client, transport } = await connectHost([toolsModule, "--store", await testFolder()]);
  const { taskId } = await dataOf(client, "count_to", { ...longRun, client_id: ada }, detached);
  const before = await childrenOf(transport.pid);
  await killServer(transport.pid);
  expect((await dataOf(client, "get_session_info")).data).toMatchObject({ client_id: ada });
  expect((await dataOf(client, "pause_task", { task_id: taskId })).data).toMatchObject({
    message: expect.stringContaining(taskId),
  });
  expect((await dataOf(client, "get_checkpoint_stats")).data).toMatchObject({ total_checkpoints: 1 });
  expect(await childrenOf(transport.pid)).not.toEqual(before);
});

test("a call delivered again keeps the client of its first delivery, though the connection named another (G7, G10)", async () => {
  const { client, transport } = await connectHost([toolsModule, "--store", await testFolder()]);
  await dataOf(client, "get_checkpoint_stats", { client_id: ada });
  let kill: Promise<void> | undefined;
  const onprogress = ({ progress }: { progress: number }) => {
    if (progress === 5) kill = renameAndKill();
  };
  const renameAndKill = async () => {
    await dataOf(client, "get_checkpoint_stats", { client_id: bob });
    await killServer(transport.pid);
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 60 } }, undefined, { onprogress });
  await kill;
  expect(kill).toBeDefined();
  expect(result).toMatchObject({ structuredContent: { counted: 60 } });
  expect((await dataOf(client, "list_session_tasks")).data).toMatchObject({ persistent_id: bob, total_tasks: 0 });
  expect((await dataOf(client, "list_session_tasks", { client_id: ada })).data).toMatchObject({
    total_tasks: 1,
    tasks: [{ status: "completed", task_id: result._meta?.["resumable-mcp/task_id"] }],
  });
});
