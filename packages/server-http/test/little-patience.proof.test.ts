import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const timeoutMs = 240_000;
const module = fileURLToPath(new URL("./aborting-tools-module.js", import.meta.url));
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const listed = z.object({ structuredContent: z.object({ tasks: z.array(z.looseObject({ task_id: z.string() })) }) });

async function connect(...flags: string[]) {
  const server = await startServer([module, "--port", "0", "--store", await testFolder(), ...flags]);
  const { client } = await connectStock(server.url);
  const call = (name: string, args: object, timeout = timeoutMs) =>
    client.callTool({ name, arguments: { ...args } }, undefined, { timeout });
  return { call };
}

/** The only task there is, and what it has produced. */
async function onlyTask(call: Awaited<ReturnType<typeof connect>>["call"]) {
  const [task, ...more] = listed.parse(await call("list_session_tasks", {})).structuredContent.tasks;
  expect(more).toEqual([]);
  return { task, items: await call("get_task_items", { task_id: task?.task_id }) };
}

test("a stock client that waits a quarter of the tool's time has the result after at most six calls, each record once (G7)", async () => {
  const { call } = await connect();
  const gates = await testFolder();
  const [n, limitMs, mostCalls] = [40, 1_000, 6];
  const timeouts: string[] = [];
  let result: unknown;
  while (result === undefined && timeouts.length < mostCalls) {
    result = await call("count_in_quarters", { n, gates }, limitMs).catch((error: Error) => {
      timeouts.push(error.message);
    });
    await writeFile(join(gates, `quarter-${timeouts.length}`), "");
  }
  expect(timeouts.length).toBeGreaterThanOrEqual(4);
  expect(new Set(timeouts)).toEqual(new Set(["MCP error -32001: Request timed out"]));
  expect(timeouts.length).toBeLessThan(mostCalls);
  expect(result).toMatchObject({ structuredContent: { counted: n } });
  const { items } = await onlyTask(call);
  expect(items).toMatchObject({ structuredContent: { items: count(n), total: n } });
});

test("a host that would give up is handed off, and uses a longer tool to its end by wait_for_task, with one execution", async () => {
  const { call } = await connect("--handoff");
  const n = 60;
  const running = z
    .object({ structuredContent: z.object({ status: z.string(), task_id: z.string(), next_tool: z.string() }) })
    .parse(await call("count_to", { n })).structuredContent;
  expect(running).toMatchObject({ status: "running", next_tool: "wait_for_task" });
  const { task_id, next_tool } = running;
  const unfinished = z.object({ structuredContent: z.object({ status: z.literal("running") }) });
  let answer: unknown;
  do answer = await call(next_tool, { task_id, timeout_seconds: 0.2 });
  while (unfinished.safeParse(answer).success);
  expect(answer).toMatchObject({ structuredContent: { counted: n } });
  const { task, items } = await onlyTask(call);
  expect(task).toMatchObject({ task_id, status: "completed", attempt: 1 });
  expect(items).toMatchObject({ structuredContent: { items: count(n), total: n } });
});
