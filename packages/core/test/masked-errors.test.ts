import { expect, it } from "vitest";
import type { FailedAttempt } from "../src/engine/engine.js";
import type { Followed } from "../src/engine.js";
import { type OwnedTasks, RetryableError, TerminalError, ToolError } from "../src/index.js";
import { createScene, failOnUnhandledRejections, job } from "./scene.js";

failOnUnhandledRejections();

const secret = "ENOENT: no such file or directory, open '/secret/path'";

/** An engine that hides what tools throw, with a tool that throws it at each attempt. */
function createMaskedScene(thrown: unknown, maxAttempts = 1) {
  const heard: { readonly error: unknown; readonly failed: FailedAttempt }[] = [];
  const tool = job(
    // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
    async function* () {
      throw thrown;
    },
    { retry: { maxAttempts, initialDelay: 1_000 } },
  );
  const onToolError = (error: unknown, failed: FailedAttempt) => heard.push({ error, failed });
  return { ...createScene([tool], { maskErrors: true, onToolError }), heard };
}

/** All that an owner can read of one task. */
async function readAll(tasks: OwnedTasks, id: string): Promise<readonly unknown[]> {
  const followed: Followed[] = [];
  const stop = new AbortController();
  for await (const one of tasks.follow(id, { signal: stop.signal })) {
    followed.push(one);
    const { lastSeq, error } = (await tasks.get(id)).record;
    if (one.kind === "event" && one.event.seq === lastSeq && error === undefined) stop.abort();
  }
  const list = await tasks.list();
  const waited = await tasks.wait(id, { signal: AbortSignal.abort() });
  const again = await tasks.start({ tool: "job", input: { n: 7 }, callId: id });
  return [await tasks.get(id), followed, list, waited, again];
}

it("shows an owner nothing of what a tool threw, on any way, and keeps it for the operator (F10)", async () => {
  const error = new Error(secret);
  const { tasks, store, rest, heard } = createMaskedScene(error);
  const { record } = await tasks.start({ tool: "job", input: { n: 7 } });
  await rest();
  const read = await readAll(tasks, record.id);
  const message = `The tool failed. The server's log says why, under ${record.id}.`;
  expect(read[0]).toMatchObject({ status: "failed", record: { error: { code: "TOOL_FAILED", message } } });
  expect(JSON.stringify(read)).not.toContain("secret");
  expect(JSON.stringify(read)).not.toContain("masked-errors.test");
  expect(JSON.stringify(read).split(message).length - 1).toBeGreaterThanOrEqual(5);
  expect((await store.getTask(record.id))?.record.error?.message).toBe(secret);
  expect(heard).toEqual([{ error, failed: { taskId: record.id, tool: "job", attempt: 1 } }]);
});

it("hides why an attempt failed that is made again (F10)", async () => {
  const { tasks, rest, heard } = createMaskedScene(new RetryableError(secret), 2);
  const { record } = await tasks.start({ tool: "job", input: { n: 7 } });
  await rest();
  const read = await readAll(tasks, record.id);
  expect(read[0]).toMatchObject({ status: "pending", record: { failures: 1 } });
  expect(JSON.stringify(read)).toContain("attempt_ended");
  expect(JSON.stringify(read)).not.toContain("secret");
  expect(heard.length).toBe(1);
});

it("hides the text of a thrown JSON-RPC error, and keeps its code (F10)", async () => {
  const { tasks, rest } = createMaskedScene(Object.assign(new Error(secret), { code: -32_603 }));
  const { record } = await tasks.start({ tool: "job", input: { n: 7 } });
  await rest();
  expect((await tasks.get(record.id)).record.error).toEqual({
    code: "JSON_RPC_-32603",
    message: `The tool failed. The server's log says why, under ${record.id}.`,
  });
});

it.each([
  ["a ToolError", new ToolError("There is no city of that name.")],
  ["a TerminalError for the caller", new TerminalError("There is no city of that name.", { forCaller: true })],
  ["a RetryableError for the caller", new RetryableError("There is no city of that name.", { forCaller: true })],
])("shows the message of %s (F10)", async (_name, thrown) => {
  const { tasks, rest } = createMaskedScene(thrown);
  const { record } = await tasks.start({ tool: "job", input: { n: 7 } });
  await rest();
  expect((await tasks.get(record.id)).record.error).toMatchObject({ message: "There is no city of that name." });
});

it("shows errors of the toolkit itself (F10)", async () => {
  const tool = job(async function* () {
    yield { progress: 5 };
    yield { progress: 4 };
    return "never";
  });
  const { tasks, rest } = createScene([tool], { maskErrors: true });
  const { record } = await tasks.start({ tool: "job", input: { n: 7 } });
  await rest();
  expect((await tasks.get(record.id)).record.error).toMatchObject({
    code: "PROGRESS_WENT_BACK",
    message: expect.stringContaining("5"),
  });
});

it("hides why code cannot read a task: what it threw is in there (F10)", async () => {
  const scene = createScene([
    job(
      async function* () {
        yield { progress: 1, state: { at: 1 } };
        await new Promise(() => {});
        return "never";
      },
      { version: "1" },
    ),
  ]);
  const { record } = await scene.tasks.start({ tool: "job", input: { n: 7 }, detached: true });
  await scene.rest();
  scene.store.kill({ noticed: true });
  const migrate = (): never => {
    throw new Error(secret);
  };
  const newer = job(
    // biome-ignore lint/correctness/useYield: this tool is never reached.
    async function* () {
      return "never";
    },
    { version: "2", accepts: ["1"], migrate },
  );
  const next = createScene([newer], { maskErrors: true }, (same) => same, scene.store.anotherProcess(), scene.clock);
  await next.engine.open();
  await next.rest();
  expect((await next.store.getTask(record.id))?.record.message).toContain("secret");
  expect(JSON.stringify(await readAll(next.tasks, record.id))).not.toContain("secret");
});
