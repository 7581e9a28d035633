import { fileURLToPath } from "node:url";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { afterwards, type Ended, runToEnd, startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const module = fileURLToPath(new URL("./throwing-tools-module.js", import.meta.url));

test("a process that a tool's timer ends says why, and the task fails with CRASH_LOOP after three such ends (F3, G12)", async () => {
  const store = await testFolder();
  const args = [module, "--port", "0", "--store", store, "--recover-after", "now"];
  const first = await startServer(args);
  const { client } = await connectStock(first.url);
  const left = client.callTool({ name: "throw_later", arguments: {} }).catch(() => {});
  await first.died;
  await client.close();
  await left;
  const ends: Ended[] = [await first.stop("SIGTERM"), await runToEnd(args), await runToEnd(args)];
  for (const { code, stderr } of ends) {
    expect(code).toBe(1);
    const line = stderr.split("\n").find((each) => each.includes("Uncaught exception"));
    expect(JSON.parse(line ?? "null")).toMatchObject({
      level: "error",
      message: expect.stringContaining("thrown by a timer"),
      stack: expect.stringMatching(/^Error: thrown by a timer\n {4}at .*throwing-tools-module\.js/),
    });
  }
  await startServer(args);
  const reader = createFsStore({ directory: store });
  afterwards(() => reader.close());
  const outcome = async () => {
    const [task] = (await reader.listTasks({ limit: 10 })).tasks;
    const record = task === undefined ? undefined : (await reader.getTask(task.id))?.record;
    return { status: record?.status, code: record?.error?.code };
  };
  await expect.poll(outcome).toEqual({ status: "failed", code: "CRASH_LOOP" });
});

/** A process that has a task under way, and its store. */
async function startWorking() {
  const store = await testFolder();
  const server = await startServer([module, "--port", "0", "--store", store, "--recover-after", "never"]);
  const { client } = await connectStock(server.url);
  const began = new Promise<void>((resolve) => {
    const onprogress = () => resolve();
    void client.callTool({ name: "work", arguments: {} }, undefined, { onprogress }).catch(() => {});
  });
  await began;
  /** Of each tool, whether its task was under way when the process died: the next process counts a death then. */
  const diedOf = async () => {
    const reader = createFsStore({ directory: store });
    afterwards(() => reader.close());
    const { tasks } = await reader.listTasks({ limit: 10 });
    const records = await Promise.all(tasks.map(async ({ id }) => (await reader.getTask(id))?.record));
    return Object.fromEntries(records.map((record) => [record?.tool, record?.live]));
  };
  return { server, client, diedOf };
}

test("a process that the code of one task ends releases the others, and counts a death for that one alone (F3, G12)", async () => {
  const { server, client, diedOf } = await startWorking();
  void client.callTool({ name: "throw_later", arguments: {} }).catch(() => {});
  await server.died;
  expect((await server.stop("SIGTERM")).code).toBe(1);
  expect(await diedOf()).toEqual({ throw_later: true, work: false });
  await client.close();
});

test("an exception of no task's code counts a death for all that the process runs (F3, G12)", async () => {
  const { server, client, diedOf } = await startWorking();
  const { code, stderr } = await server.stop("SIGUSR2");
  expect([code, stderr.includes("Uncaught exception: thrown by a listener")]).toEqual([1, true]);
  expect(await diedOf()).toEqual({ work: true });
  await client.close();
});
