import { randomUUID } from "node:crypto";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { afterEach, expect, test, vi } from "vitest";
import { beginLife, type Life, type LifeOrder } from "../src/kills/life.js";
import { nowhere } from "../src/kills/weather.js";
import { temporaryFolder } from "../src/stores/stored-tasks.js";
import { createLink, type Link } from "../src/storm/driver.js";

/** What has not ended by then hangs; a machine that does ten other things at once needs minutes for it. */
const patienceMs = 900_000;
/** Where a server dies, another takes over soon. */
const shortLeaseMs = 1_000;
/** Where none dies, none may be taken for dead, however slow the machine is. */
const longLeaseMs = patienceMs;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Scene {
  readonly reader: Store;
  /** Starts one more server on the folder. */
  readonly begin: () => Promise<Life>;
  /** Talks to one server as the owner of the task. */
  readonly link: (server: Life) => Link;
}

/** A folder for several servers, and one owner. */
async function openScene(leaseTtlMs: number): Promise<Scene> {
  const folder = await temporaryFolder();
  closing.push(() => folder.remove());
  const reader = createFsStore({ directory: folder.directory });
  closing.push(() => reader.close());
  const begin = async (): Promise<Life> => {
    const order: LifeOrder & { readonly waiting: true } = { directory: folder.directory, leaseTtlMs, waiting: true };
    const life = beginLife("storm/storm-server.js", order);
    await life.ready;
    closing.push(() => kill(life));
    return life;
  };
  const clientId = randomUUID();
  const abort = new AbortController();
  const link = (server: Life): Link => {
    const made = createLink({
      url: () => server.url() ?? nowhere,
      clientId,
      signal: abort.signal,
    });
    closing.push(() => made.close());
    return made;
  };
  return { reader, begin, link };
}

async function kill(life: Life): Promise<void> {
  life.kill("SIGKILL");
  await life.death;
}

/**
 * Starts the asking task and resolves when it asks. It needs no caller to continue, so any server may run it: only one
 * is there yet.
 */
async function ask({ reader, begin, link }: Scene): Promise<{ readonly runner: Life; readonly taskId: string }> {
  const runner = await begin();
  const taskId = await link(runner).start("storm_ask", { run: "one" });
  await recordWhen(reader, taskId, ({ status }) => status === "input_required");
  return { runner, taskId };
}

/** Looks at the store: a call would return to the task, and let it continue by that. */
async function recordWhen(reader: Store, taskId: string, when: (record: TaskRecord) => boolean): Promise<TaskRecord> {
  const look = async (): Promise<TaskRecord> => {
    const record = (await reader.getTask(taskId))?.record;
    if (record === undefined || !when(record)) throw new Error(`Task ${taskId} is ${record?.status}.`);
    return record;
  };
  return vi.waitFor(look, { timeout: patienceMs, interval: 20 });
}

async function answerOn({ link }: Scene, server: Life, taskId: string): Promise<unknown> {
  const answer = { task_id: taskId, key: "ask-0", action: "accept", content: { word: "yes" } };
  const given = await link(server).call("answer_task", answer);
  return { isError: given.isError ?? false, task_id: given.structuredContent?.task_id };
}

async function endOf({ reader }: Scene, taskId: string): Promise<unknown> {
  const { status, output, attempt } = await recordWhen(reader, taskId, (record) => isFinal(record.status));
  return { status, output, attempt };
}

test("G9 an answer through answer_task reaches a task that another server runs", { timeout: patienceMs }, async () => {
  const scene = await openScene(longLeaseMs);
  const { taskId } = await ask(scene);
  expect(await answerOn(scene, await scene.begin(), taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", output: "yes", attempt: 1 });
});

test("G9 an answer that comes just after the death of the task's server is carried out by another", {
  timeout: patienceMs,
}, async () => {
  const scene = await openScene(shortLeaseMs);
  const { runner, taskId } = await ask(scene);
  const other = await scene.begin();
  await kill(runner);
  expect(await answerOn(scene, other, taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", output: "yes", attempt: 2 });
});

test("G9 an answer continues a task that was parked after the deaths of two servers", {
  timeout: patienceMs,
}, async () => {
  const scene = await openScene(shortLeaseMs);
  const { runner, taskId } = await ask(scene);
  const [second, third] = [await scene.begin(), await scene.begin()];
  await kill(runner);
  // One of the others ends the dead attempt and begins none.
  await recordWhen(scene.reader, taskId, (record) => !record.live);
  await kill(second);
  expect(await answerOn(scene, third, taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", output: "yes", attempt: 2 });
});
