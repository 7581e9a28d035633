import { randomUUID } from "node:crypto";
import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { afterEach, expect, test, vi } from "vitest";
import { beginLife, type Life, type LifeLine } from "../src/kills/life.js";
import { temporaryFolder } from "../src/stores/stored-tasks.js";
import { createLink, type Link } from "../src/storm/clients/link.js";
import { jobToolName } from "../src/storm/job.js";
import { replicaOn } from "../src/storm/replica.js";

/** What has not ended by then hangs; a machine that does ten other things at once needs minutes for it. */
const patienceMs = 900_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Scene {
  readonly reader: Store;
  /** What the tools of all servers were answered. */
  readonly words: readonly unknown[];
  /** Starts one more server on the folder. */
  readonly begin: () => Promise<Life>;
  /** Talks to one server as the owner of the task. */
  readonly link: (server: Life) => Link;
}

/** A folder for several servers, and one owner. */
async function openScene(): Promise<Scene> {
  const folder = await temporaryFolder();
  closing.push(() => folder.remove());
  const reader = createFsStore({ directory: folder.directory });
  closing.push(() => reader.close());
  const words: unknown[] = [];
  const begin = async (): Promise<Life> => {
    const replica = replicaOn(folder.directory);
    const hear = (line: LifeLine) => {
      if (line.kind === "noted" && line.event.kind === "answered") words.push(line.event.word);
    };
    const life = beginLife(replica.words, hear, replica.environment);
    await life.ready;
    closing.push(() => kill(life));
    return life;
  };
  const clientId = randomUUID();
  const abort = new AbortController();
  const link = (server: Life): Link => {
    const made = createLink({
      url: () => server.url() ?? new URL("http://127.0.0.1:1"),
      clientId,
      signal: abort.signal,
    });
    closing.push(() => made.close());
    return made;
  };
  return { reader, words, begin, link };
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
  const taskId = await link(runner).start(jobToolName, { run: "one", program: [{ op: "ask", ms: 0 }] });
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

async function endOf({ reader, words }: Scene, taskId: string): Promise<unknown> {
  const { status, attempt } = await recordWhen(reader, taskId, (record) => isFinal(record.status));
  return { status, words, attempt };
}

test("G9 an answer through answer_task reaches a task that another server runs", { timeout: patienceMs }, async () => {
  const scene = await openScene();
  const { taskId } = await ask(scene);
  expect(await answerOn(scene, await scene.begin(), taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", words: ["yes"], attempt: 1 });
});

test("G9 an answer that comes just after the death of the task's server is carried out by another", {
  timeout: patienceMs,
}, async () => {
  const scene = await openScene();
  const { runner, taskId } = await ask(scene);
  const other = await scene.begin();
  await kill(runner);
  expect(await answerOn(scene, other, taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", words: ["yes"], attempt: 2 });
});

test("G9 an answer continues a task that was parked after the deaths of two servers", {
  timeout: patienceMs,
}, async () => {
  const scene = await openScene();
  const { runner, taskId } = await ask(scene);
  const [second, third] = [await scene.begin(), await scene.begin()];
  await kill(runner);
  // One of the others ends the dead attempt and begins none.
  await recordWhen(scene.reader, taskId, (record) => !record.live);
  await kill(second);
  expect(await answerOn(scene, third, taskId)).toEqual({ isError: false, task_id: taskId });
  expect(await endOf(scene, taskId)).toEqual({ status: "completed", words: ["yes"], attempt: 2 });
});
