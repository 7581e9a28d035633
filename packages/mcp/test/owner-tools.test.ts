import { createEngine, createMemoryStore, ResumableError, type Store } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { makeInstructions } from "../src/control/control-tools.js";
import { defineServer } from "../src/define-server.js";
import { toolKindsIn } from "../src/era-2025/session/tool-kinds.js";
import { countTool, createGate } from "./counting-tool.js";
import { connectClient, openEndpoint } from "./http-endpoint.js";

/** Servers and clients begin within it, also on a busy machine. */
const patienceMs = 20_000;
vi.setConfig({ testTimeout: 2 * patienceMs });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const handedOff = { [metaKeys.handoff]: 0, [metaKeys.clientId]: clientId };

/** A client of a server over HTTP that has begun to count to 4 and stands at 2. */
async function atHalf() {
  const gate = createGate();
  const { url, close } = await openEndpoint({ tools: [countTool(gate)] });
  const { client } = await connectClient(url);
  closing.push(close, () => client.close());
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args, _meta: { [metaKeys.clientId]: clientId } });
  const begun = await client.callTool({ name: "count_to", arguments: { n: 4 }, _meta: handedOff });
  const { task_id } = begun.structuredContent as { task_id: string };
  gate.open(2);
  await expect
    .poll(() => call("get_task", { task_id }), { timeout: patienceMs })
    .toMatchObject({ structuredContent: { progress: 2 } });
  return { call, task_id, gate };
}

test("list_session_tasks tells the owner's tasks with progress and times, and whose they are", async () => {
  const { call, task_id } = await atHalf();
  expect((await call("list_session_tasks")).structuredContent).toEqual({
    // Without a token it would be enough to act as this caller.
    session_id: null,
    persistent_id: clientId,
    total_tasks: 1,
    advice: expect.stringContaining("next_tool"),
    tasks: [
      expect.objectContaining({
        task_id,
        next_tool: "wait_for_task",
        task_name: "count_to",
        status: "running",
        progress: "2/4",
        progress_percent: 50,
        created_at: instant,
        updated_at: instant,
      }),
    ],
  });
});

test("list_session_tasks lists all tasks but one whose files are damaged, and names that one (G12)", async () => {
  const store = createMemoryStore();
  const damaged = new Set<string>();
  const withDamage: Store = {
    ...store,
    async getTask(id) {
      const snapshot = await store.getTask(id);
      if (!damaged.has(id)) return snapshot;
      const details = { taskId: id, path: "quarantine", owner: snapshot?.record.owner };
      throw new ResumableError("TASK_CORRUPT", `The files of task ${id} are damaged.`, { details });
    },
  };
  const gate = createGate();
  gate.open(10);
  const { url, close } = await openEndpoint({ tools: [countTool(gate)], store: withDamage });
  const { client } = await connectClient(url);
  closing.push(close, () => client.close());
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args, _meta: { [metaKeys.clientId]: clientId } });
  for (const n of [1, 2, 3]) await call("count_to", { n });
  const taskIds = (await store.listTasks({ limit: 10 })).tasks.map(({ id }) => id);
  const [victim = ""] = taskIds;
  damaged.add(victim);
  const error = { code: "TASK_CORRUPT", message: `The files of task ${victim} are damaged.` };
  expect(await call("list_session_tasks")).toMatchObject({
    structuredContent: {
      tasks: taskIds.slice(1).map((task_id) => ({ task_id })),
      damaged_tasks: [{ task_id: victim, task_name: "count_to", error }],
    },
  });
  expect(await call("get_checkpoint_stats")).not.toMatchObject({ isError: true });
});

test("list_session_tasks filters by status and tool, newest first, page by page", async () => {
  const { call, gate } = await atHalf();
  gate.open(10);
  for (const n of [1, 2, 3]) await call("count_to", { n });
  const listed = async (args: Record<string, unknown>) =>
    (await call("list_session_tasks", args)).structuredContent as {
      readonly tasks: readonly { readonly progress: string }[];
      readonly next_cursor?: string;
    };
  const first = await listed({ status: ["completed"], task_name: "count_to", limit: 2 });
  expect(first.tasks.map(({ progress }) => progress)).toEqual(["3/3", "2/2"]);
  const rest = await listed({ status: ["completed"], limit: 50, cursor: first.next_cursor });
  expect(rest.tasks.map(({ progress }) => progress)).toContain("1/1");
  expect(await listed({ task_name: "another_tool" })).toMatchObject({ tasks: [] });
  expect(await listed({ status: ["failed"] })).toMatchObject({ tasks: [] });
});

test("get_checkpoint_stats counts the owner's tasks by each status", async () => {
  const { call, task_id, gate } = await atHalf();
  const none = { pending: 0, running: 0, paused: 0, input_required: 0, completed: 0, failed: 0, cancelled: 0 };
  const stats = async () => (await call("get_checkpoint_stats")).structuredContent;
  expect(await stats()).toEqual({ checkpoint_stats: { ...none, running: 1 }, total_checkpoints: 1 });
  gate.open(3);
  await call("wait_for_task", { task_id });
  await call("count_to", { n: 1 });
  expect(await stats()).toEqual({ checkpoint_stats: { ...none, completed: 2 }, total_checkpoints: 2 });
});

test("get_session_info tells session, request and client", async () => {
  const { call } = await atHalf();
  expect((await call("get_session_info")).structuredContent).toEqual({
    session_id: null,
    request_id: expect.anything(),
    client_id: clientId,
  });
});

test("pause_task refuses a task that is not there, and one that does not run", async () => {
  const { call, task_id, gate } = await atHalf();
  expect(await call("pause_task", { task_id: "no-such-task" })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "TASK_NOT_FOUND" } },
  });
  gate.open(2);
  await call("wait_for_task", { task_id });
  expect(await call("pause_task", { task_id })).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "ILLEGAL_TRANSITION", message: expect.stringContaining("completed") } },
  });
});

test("ids of tasks are random and cannot be guessed from the call", async () => {
  const ids = await Promise.all([atHalf(), atHalf(), atHalf()]).then((all) => all.map(({ task_id }) => task_id));
  expect(new Set(ids).size).toBe(3);
  // 22 characters out of 62 are 130 bits.
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22,}$/);
});

test("the instructions explain long tools and name the caller's unfinished tasks", async () => {
  const tool = countTool(createGate());
  const engine = createEngine({
    store: createMemoryStore(),
    tools: [tool],
    limits: { graceMs: 20, drainTimeoutMs: 20 },
  });
  closing.push(() => engine.close());
  const owned = engine.forOwner("client:a");
  const { record } = await owned.start({ tool: "count_to", input: { n: 4 }, detached: true });
  const definition = defineServer({ name: "test", version: "1", tools: [tool], instructions: "Counts." });
  const instructionsFor = (tasks: typeof owned) => makeInstructions(definition, tasks);
  const own = await instructionsFor(owned);
  expect(own).toMatch(/^Counts\.\n\nLong tools of this server save their progress: /);
  expect(own).toContain("wait_for_task");
  expect(own).toContain(`- count_to, task_id ${record.id}: `);
  expect(await instructionsFor(engine.forOwner("client:b"))).not.toContain(record.id);
});

test("a list says that only tools of the engine and control tools that read can be repeated from the journal", async () => {
  const { url, close } = await openEndpoint({ tools: [countTool(createGate())] });
  const { client } = await connectClient(url);
  closing.push(close, () => client.close());
  const kinds = [...toolKindsIn(await client.listTools())];
  const durable = kinds.filter(([, { kind }]) => kind === "journal").map(([name]) => name);
  expect(durable.sort()).toEqual([
    "count_to",
    "get_checkpoint_stats",
    "get_session_info",
    "get_task",
    "get_task_items",
    "list_session_tasks",
    "wait_for_task",
  ]);
  const changing = kinds.flatMap(([name]) => (durable.includes(name) ? [] : [name]));
  expect(changing.sort()).toEqual(["answer_task", "cancel_task", "delete_task", "pause_task", "resume_task"]);
});
