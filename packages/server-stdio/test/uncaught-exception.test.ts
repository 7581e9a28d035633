import { fileURLToPath } from "node:url";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { afterwards, connectHost, testFolder } from "./stdio-host.js";

const module = fileURLToPath(new URL("./throwing-tools-module.js", import.meta.url));

test("a process that the code of one task ends says why, releases the others, and counts a death for that one alone (F3, G12)", async () => {
  const store = await testFolder();
  const { client, transport, output } = await connectHost([module, "--store", store, "--no-supervise"]);
  const died = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await new Promise<void>((resolve) => {
    const onprogress = () => resolve();
    void client.callTool({ name: "work", arguments: {} }, undefined, { onprogress }).catch(() => {});
  });
  void client.callTool({ name: "throw_later", arguments: {} }).catch(() => {});
  await died;
  expect(output.stderr).toMatch(
    /Uncaught exception of task \w+: Error: thrown by a timer\n {4}at .*throwing-tools-module\.js/,
  );
  const reader = createFsStore({ directory: store });
  afterwards(() => reader.close());
  const { tasks } = await reader.listTasks({ limit: 10 });
  const records = await Promise.all(tasks.map(async ({ id }) => (await reader.getTask(id))?.record));
  // A task that was under way when the process died: the next process counts a death for it.
  expect(Object.fromEntries(records.map((record) => [record?.tool, record?.live]))).toEqual({
    throw_later: true,
    work: false,
  });
});
