import { LoggingMessageNotificationSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { defineTool, TerminalError } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { countTool, createGate } from "./counting-tool.js";
import { call, connect } from "./stock-client.js";

test("cancelling the request stops the task at its next checkpoint, and the same call continues", async () => {
  const gate = createGate();
  const { client, engine } = await connect([countTool(gate)]);
  await client.listTools();
  const abort = new AbortController();
  const first = call(client, "count_to", { n: 3 }, { signal: abort.signal, onprogress: () => abort.abort("enough") });
  gate.open();
  await expect(first).rejects.toThrow();
  const tasks = engine.forOwner("local:local");
  const [task] = (await tasks.list()).tasks;
  await tasks.wait(task?.id ?? "");
  expect((await tasks.get(task?.id ?? "")).status).toBe("paused");
  const progress: number[] = [];
  const second = call(client, "count_to", { n: 3 }, { onprogress: (now: Progress) => progress.push(now.progress) });
  gate.open(3);
  expect(await second).toMatchObject({ structuredContent: { counted: 3, attempts: 2 } });
  expect((await tasks.list()).tasks).toHaveLength(1);
  expect(progress.at(-1)).toBe(3);
});

test("a call asked to hand off answers before the end, and wait_for_task gives the result unchanged", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate)]);
  await client.listTools();
  const running = await call(client, "count_to", { n: 2 }, {}, { [metaKeys.handoff]: 0 });
  expect(running).toMatchObject({
    structuredContent: { status: "running", progress: 0, next_tool: "wait_for_task", task_id: expect.any(String) },
  });
  expect(running.isError).toBeUndefined();
  const { task_id } = running.structuredContent as { task_id: string };
  const soon = await call(client, "wait_for_task", { task_id, timeout_seconds: 0 });
  expect(soon).toMatchObject({ structuredContent: { status: "running", task_id } });
  gate.open(2);
  const end = await call(client, "wait_for_task", { task_id });
  expect(end).toMatchObject({
    structuredContent: { counted: 2, attempts: 1 },
    _meta: { [metaKeys.status]: "completed" },
  });
});

test("pausing a task is logged, ends the call that waits for it, and says how to go on", async () => {
  const gate = createGate();
  const { client } = await connect([countTool(gate)]);
  const logged: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  let pausing: Promise<unknown> | undefined;
  const onprogress = () => {
    pausing ??= call(client, "list_session_tasks", {}).then((listed) => {
      const { tasks } = listed.structuredContent as { tasks: { task_id: string }[] };
      return call(client, "pause_task", { task_id: tasks[0]?.task_id });
    });
  };
  gate.open();
  const paused = await call(client, "count_to", { n: 9 }, { onprogress });
  expect(paused).toMatchObject({ structuredContent: { status: "paused", next_tool: "resume_task", progress: 1 } });
  expect(await pausing).toMatchObject({ content: [{ text: expect.stringMatching(/^Task .* paused correctly$/) }] });
  const { task_id } = paused.structuredContent as { task_id: string };
  expect(logged.at(-1)).toBe(`Task ${task_id} paused`);
});

test("a client that goes away in mid-call leaves its task, and the same call of another joins it (G7)", async () => {
  const gate = createGate();
  const { client, open } = await connect([countTool(gate)]);
  gate.open(2);
  const onprogress = ({ progress }: Progress) => void (progress === 2 && client.close());
  await expect(call(client, "count_to", { n: 4 }, { onprogress })).rejects.toThrow(/closed/);
  const seen: number[] = [];
  const next = ({ progress }: Progress) => {
    seen.push(progress);
    gate.open();
  };
  const second = call(await open(), "count_to", { n: 4 }, { onprogress: next });
  expect(await second).toMatchObject({ structuredContent: { counted: 4 } });
  expect(seen).toEqual([2, 3, 4]);
});

test("a hand-off leaves the task to recovery, unless its caller says that it stays", async () => {
  const gate = createGate();
  const { client, engine } = await connect([countTool(gate)]);
  const isDetached = async (n: number, meta: Record<string, unknown>) => {
    const running = await call(client, "count_to", { n }, {}, { [metaKeys.handoff]: 0, ...meta });
    const { task_id } = running.structuredContent as { task_id: string };
    return (await engine.readTask(task_id))?.record.detached;
  };
  expect(await isDetached(3, {})).toBe(true);
  expect(await isDetached(4, { [metaKeys.callerStays]: true })).toBe(false);
});

test("a call that joins a task receives where the task is, not everything from the beginning again (feature 12)", async () => {
  const gate = createGate();
  const { client, open, store } = await connect([countTool(gate)]);
  const listed = async () => (await store.listTasks({ limit: 1 })).tasks[0];
  const first = call(client, "count_to", { n: 5 }, { onprogress: () => {} });
  gate.open(3);
  while ((await listed())?.progress !== 3) await new Promise((resolve) => setImmediate(resolve));
  const seen: number[] = [];
  const second = call(
    await open(),
    "count_to",
    { n: 5 },
    {
      onprogress: ({ progress }: Progress) => {
        seen.push(progress);
        gate.open();
      },
    },
  );
  await Promise.all([first, second]);
  expect(seen).toEqual([3, 4, 5]);
});

test("a call that joins a task without progress receives none: 0 would be no news (feature 12)", async () => {
  const { client, open } = await connect([countTool(createGate())]);
  const seen: Progress[] = [];
  const handedOff = async (from: typeof client) =>
    call(from, "count_to", { n: 2 }, { onprogress: (now: Progress) => seen.push(now) }, { [metaKeys.handoff]: 0 });
  const first = await handedOff(client);
  expect(first).toMatchObject({ structuredContent: { status: "running", progress: 0 } });
  expect(await handedOff(await open())).toMatchObject({ structuredContent: first.structuredContent });
  expect(seen).toEqual([]);
});

/** Fails at 2 of 5 until it is well. */
function breakingTool(extras: { readonly onFailure?: "restart" }, error: Error) {
  const world = { well: false };
  const tool = defineTool({
    name: "count_up",
    description: "Counts, and breaks.",
    input: z.object({}),
    state: { at: 0 },
    ...extras,
    async *run(_input, task) {
      for (let at = task.state.at + 1; at <= 5; at++) {
        if (at === 3 && !world.well) throw error;
        yield { progress: at, total: 5, state: { at } };
      }
      return { attempts: task.attempt };
    },
  });
  return { tool, world };
}

test("the result of a failure says how far the task came, and the same call continues from there (G7, feature 37)", async () => {
  const { tool, world } = breakingTool({}, new Error("No network."));
  const { client } = await connect([tool]);
  const failed = await call(client, "count_up", {});
  expect(failed).toMatchObject({
    isError: true,
    content: [
      { text: "No network. The task reached 2/5 (40 %); the same call continues the task from its last checkpoint." },
    ],
    structuredContent: {
      error: { code: "TOOL_FAILED", message: "No network.", progress: 2, total: 5, continues: "by_call" },
    },
  });
  world.well = true;
  const seen: number[] = [];
  const again = await call(client, "count_up", {}, { onprogress: ({ progress }: Progress) => seen.push(progress) });
  expect(again).toMatchObject({ structuredContent: { attempts: 2 } });
  expect(seen).toEqual([2, 3, 4, 5]);
});

test.each([
  [
    "after a TerminalError",
    {},
    new TerminalError("No such city."),
    "never",
    () => "the same call starts from the beginning.",
  ],
  [
    "where the tool says restart",
    { onFailure: "restart" } as const,
    new Error("No such city."),
    "by_resume",
    (id: string) =>
      `call resume_task with {"task_id":"${id}"} to continue the task from its last checkpoint; the same call starts from the beginning.`,
  ],
])(
  "the result of a failure says that the same call begins from nothing %s (G7)",
  async (_when, extras, error, continues, end) => {
    const { tool } = breakingTool(extras, error);
    const { client } = await connect([tool]);
    const failed = await call(client, "count_up", {});
    const { task_id } = Object(Object(failed.structuredContent).error);
    expect(failed).toMatchObject({
      content: [{ text: `No such city. The task reached 2/5 (40 %); ${end(task_id)}` }],
      structuredContent: { error: { continues } },
    });
  },
);
