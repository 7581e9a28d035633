import { createEngine, defineTool, isFinal, isResumableError, type OwnedTasks, type Store } from "@resumable-mcp/core";
import type { Instant, Lease, NewTask, TaskEventBody } from "@resumable-mcp/core/store";
import { z } from "zod";
import { createRandom, type Random } from "../kills/kill-plan.js";
import type { Ledger } from "./ledger.js";

/** The tool of all tasks of this workload. */
export const countTool = "count_up";
/** How far each task counts, an item at a time. */
export const countTo = 12;

/** Of the artifact that each task keeps. */
export const artifactChunks = [1_000, 1_000, 100].map((length, place) => new Uint8Array(length).fill(place + 1));

const ttlMs = 10_000;
const wallStartMs = Date.UTC(2026, 0, 1);

/** What one run does. */
export interface WorkPlan {
  readonly random: Random;
  /** Distinguishes the tasks of this run from those of others. */
  readonly name: string;
  readonly tasks: number;
  readonly sessions: number;
}

/**
 * Does all that an engine does with a store, for some tasks at once: makes them, takes leases, commits counts of which
 * some carry long texts, asks and answers, pauses and resumes, completes, restarts and deletes; and puts sessions.
 */
export async function workOnStore(store: Store, { random, name, tasks, sessions }: WorkPlan): Promise<void> {
  const time = createTime();
  // Each draws from a source of its own, so that no order among them changes what one does.
  const own = () => createRandom(random.between(0, 2 ** 31));
  const runs = Array.from({ length: tasks }, (_, place) => workOnTask(store, time, own(), `${name}-task-${place}`));
  const put = (place: number) => putSession(store, time, own(), `${name}-session-${place}`);
  await Promise.all([...runs, ...Array.from({ length: sessions }, (_, place) => put(place))]);
}

/** Each reading is a millisecond after the one before. */
function createTime(): () => Instant {
  let ms = 0;
  return () => {
    ms += 1;
    return { wallMs: wallStartMs + ms, monotonicMs: ms };
  };
}

function newTask(id: string): NewTask {
  return {
    id: id.padEnd(20, "-"),
    owner: "client:images",
    tool: countTool,
    toolVersion: "1",
    key: `count ${id}`,
    input: { id },
    detached: true,
    ttlMs: 1_000_000,
  };
}

async function workOnTask(store: Store, time: () => Instant, random: Random, name: string): Promise<void> {
  await lingers(random);
  const task = newTask(name);
  await store.createTask({ task, reuseResultMs: 0, now: time() });
  const worker = new TaskWorker(store, time, task.id);
  await worker.take();
  await worker.keep(name);
  for (let count = 1; count <= countTo; count += 1) {
    await worker.commit(countEvents(random, count));
    if (random.between(1, 6) === 1) await disturb(store, worker, random, count);
    if (random.between(1, 8) === 1) await worker.retake();
    await lingers(random);
  }
  const ending = random.between(1, 4);
  if (ending === 1) return worker.giveBack();
  await worker.commit([{ type: "completed", output: { counted: countTo } }]);
  if (ending === 2) await restart(worker, random);
  else if (ending === 3) return worker.remove();
  await worker.giveBack();
}

/** Steps aside for a while, so that tasks do not go in lockstep. */
async function lingers(random: Random): Promise<void> {
  for (let turn = random.between(0, 5); turn > 0; turn -= 1) await Promise.resolve();
}

function countEvents(random: Random, count: number): readonly TaskEventBody[] {
  const text = "x".repeat(random.between(1, 4) === 1 ? random.between(1, 1_500) : 8);
  return [{ type: "checkpoint", progress: count, total: countTo, state: { count, text }, items: [count] }];
}

/** Signals from outside, and what the runner does about them. */
async function disturb(store: Store, worker: TaskWorker, random: Random, count: number): Promise<void> {
  const key = `question-${count}`;
  if (random.between(1, 2) === 1) {
    await worker.commit([{ type: "asked", key, question: { message: "Go on?", schema: { type: "object" } } }]);
    const answer = { action: "accept", content: { go: true } } as const;
    await store.signal(worker.taskId, { kind: "answer", key, answer });
    await worker.consume("answer", [{ type: "answered", key, answer }]);
  } else {
    await store.signal(worker.taskId, { kind: "pause" });
    await worker.consume("pause", [{ type: "desiredState", desiredState: "pause" }]);
    await store.signal(worker.taskId, { kind: "resume" });
    await worker.consume("resume", [{ type: "desiredState", desiredState: "run" }]);
  }
}

async function restart(worker: TaskWorker, random: Random): Promise<void> {
  await worker.retake();
  await worker.commit([{ type: "restarted", generation: 2, fromState: false }]);
  for (let count = 1; count <= random.between(1, 4); count += 1) await worker.commit(countEvents(random, count));
}

/** The one who writes a task's journal. */
class TaskWorker {
  readonly taskId: string;
  readonly #store: Store;
  readonly #time: () => Instant;
  #lease: Lease | undefined;
  #seq = 0;

  constructor(store: Store, time: () => Instant, taskId: string) {
    this.#store = store;
    this.#time = time;
    this.taskId = taskId;
  }

  async take(): Promise<void> {
    const taken = await this.#store.acquireLease({ taskId: this.taskId, worker: "worker", ttlMs, now: this.#time() });
    if (taken === undefined) throw new Error(`the lease of ${this.taskId} is not free`);
    this.#lease = taken.lease;
    this.#seq = taken.snapshot.record.lastSeq;
  }

  async retake(): Promise<void> {
    await this.giveBack();
    await this.take();
  }

  async giveBack(): Promise<void> {
    await this.#store.releaseLease(this.#held());
    this.#lease = undefined;
  }

  async commit(events: readonly TaskEventBody[], consume: readonly string[] = []): Promise<void> {
    const request = { lease: this.#held(), afterSeq: this.#seq, events, consume, now: this.#time() };
    this.#seq = (await this.#store.commit(request)).record.lastSeq;
  }

  /** An artifact of three chunks, each of which says its place. */
  async keep(key: string): Promise<void> {
    for (const [index, bytes] of artifactChunks.entries())
      await this.#store.putChunk({ lease: this.#held(), artifact: "1-1", index, bytes, keep: [] });
    await this.commit([{ type: "artifact", key, artifact: "1-1", mimeType: "image/png", bytes: 2_100 }]);
  }

  async consume(kind: string, events: readonly TaskEventBody[]): Promise<void> {
    const signals = (await this.#store.getTask(this.taskId))?.signals ?? [];
    const consumed = signals.filter((signal) => signal.kind === kind);
    await this.commit([], []);
    await this.commit(
      events,
      consumed.map(({ id }) => id),
    );
  }

  async remove(): Promise<void> {
    await this.#store.deleteTask(this.#held());
  }

  #held(): Lease {
    if (this.#lease === undefined) throw new Error(`no worker has the lease of ${this.taskId}`);
    return this.#lease;
  }
}

async function putSession(store: Store, time: () => Instant, random: Random, id: string): Promise<void> {
  for (let version = 0; version < random.between(1, 6); version += 1) {
    const value = { version, text: "y".repeat(random.between(1, 900)) };
    const session = { kind: "session", id, owner: "client:images", value, expectedVersion: version, now: time() };
    await store.putDocument(session);
    await lingers(random);
  }
}

/** Counts on from where the journal is. */
const countUp = defineTool({
  name: countTool,
  description: "Counts up, an item at a time.",
  input: z.object({ id: z.string() }),
  state: { count: 0, text: "" },
  async *run(_, task) {
    for (let count = task.state.count + 1; count <= countTo; count += 1) {
      yield { progress: count, total: countTo, state: { count, text: "" }, append: [count] };
    }
    return { counted: countTo };
  },
});

/** How long one task may take to its end. */
const timeoutMs = 60_000;

/** Answers what a task asks, and lets it go on unless it does so by itself. */
async function goOn(tasks: OwnedTasks, taskId: string): Promise<void> {
  const { questions } = await tasks.get(taskId);
  for (const { key } of questions) await tasks.answer(taskId, key, { action: "accept", content: { go: true } });
  try {
    await tasks.resume(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
  }
}

/** Lets an engine run every unfinished task to its end: nothing is repeated and nothing left out (G2). */
export async function finishTasks(store: Store, { tasks: made }: Ledger): Promise<readonly string[]> {
  const errors: string[] = [];
  const engine = createEngine({ store, tools: [countUp], onError: (error) => errors.push(String(error)) });
  const problems: string[] = [];
  for (const { task } of made.values()) {
    const found = await store.getTask(task.id);
    if (found === undefined || isFinal(found.record.status)) continue;
    const tasks = engine.forOwner(task.owner);
    await goOn(tasks, task.id);
    const { record, reason } = await tasks.wait(task.id, { timeoutMs });
    const { items } = await tasks.items(task.id);
    const isWhole = items.length === countTo && items.every((item, place) => item === place + 1);
    if (record.status !== "completed" || !isWhole) {
      problems.push(`${task.id} ends as ${record.status} (${reason}) with the items ${JSON.stringify(items)}`);
    }
  }
  await engine.close();
  return [...problems, ...errors.map((error) => `the engine reports ${error}`)];
}
