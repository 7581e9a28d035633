import { afterEach, beforeEach, expect } from "vitest";
import { z } from "zod";
import type { Followed } from "../src/engine.js";
import {
  type Checkpoint,
  createEngine,
  createMemoryStore,
  defineTool,
  type Engine,
  type EngineOptions,
  type MemoryStore,
  type OwnedTasks,
  ResumableError,
  type Store,
  type TaskContext,
  type Tool,
  type ToolOptions,
} from "../src/index.js";
import type { ManualClock } from "../src/testing/manual-clock.js";
import { createManualClock } from "../src/testing.js";

/** An engine on a store in memory, with a clock that is turned by hand. */
export interface Scene {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  readonly engine: Engine;
  /** The tasks of `client:a`. */
  readonly tasks: OwnedTasks;
  /** What the engine reported to its `onError`. */
  readonly errors: unknown[];
  /** Opens another engine on the same data, as another process would. */
  another(options?: Partial<EngineOptions>): Scene;
  /** Lets everything come to rest that waits for no clock. */
  rest(): Promise<void>;
}

/** Makes a scene; `wrap` puts something between engine and store. */
export function createScene(
  tools: readonly Tool[],
  options: Partial<EngineOptions> = {},
  wrap: (store: MemoryStore) => Store = (store) => store,
  store: MemoryStore = createMemoryStore(),
  clock: ManualClock = createManualClock(),
): Scene {
  const errors: unknown[] = [];
  // Retries wait as long as they may.
  const fixed = { tools, clock, random: () => 1, onError: (error: unknown) => errors.push(error) };
  const engine = createEngine({ ...fixed, ...options, store: wrap(store) });
  return {
    clock,
    store,
    engine,
    errors,
    tasks: engine.forOwner("client:a"),
    another: (others = {}) =>
      createScene(tools, { ...options, ...others }, (same) => same, store.anotherProcess(), clock),
    rest: () => clock.advance(0),
  };
}

/** A scene in which a task of one tool, which is named `job`, has run as far as it comes by itself. */
export async function createRunningScene(tool: Tool, options?: Partial<EngineOptions>) {
  const scene = createScene([tool], options);
  const { record } = await scene.tasks.start({ tool: "job", input: {} });
  await scene.rest();
  return { ...scene, record };
}

/** Starts a detached task of the tool `job`, which runs as far as it comes by itself, and gives its id. */
export async function begin({ tasks, rest }: Scene): Promise<string> {
  const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
  await rest();
  return record.id;
}

/** Kills the process at once, and opens the next one. */
export async function killed(scene: Scene): Promise<Scene> {
  scene.store.kill({ noticed: true });
  const next = scene.another();
  await next.engine.open();
  await next.rest();
  return next;
}

export const outputOf = async ({ tasks }: Scene, id: string) => (await tasks.get(id)).record.output;
export const errorOf = async ({ tasks }: Scene, id: string) => (await tasks.get(id)).record.error;

/** The input of {@link job}: `n` tells calls apart. */
export const jobInput = z.object({ n: z.number().default(0) });
type Job = TaskContext<{ at: number }, number>;
type JobOptions = ToolOptions<typeof jobInput, unknown, { at: number }, z.ZodNumber, string>;

/** A tool with checkpoints that does what a test says. */
export function job(
  run: (task: Job, n: number) => AsyncGenerator<Checkpoint<{ at: number }, number>, string, void>,
  extras: Partial<Omit<JobOptions, "run" | "input" | "output" | "state" | "item">> = {},
): Tool {
  return defineTool({
    name: "job",
    description: "Does what the test says.",
    input: jobInput,
    state: { at: 0 },
    item: z.number(),
    ...extras,
    async *run({ n }, task) {
      return yield* run(task, n);
    },
  });
}

/** A tool that makes checkpoints 1 … `to`, each when its gate is opened. */
export function gatedCount(
  to: number,
  extras: Parameters<typeof job>[1] = {},
): {
  readonly tool: Tool;
  readonly gates: readonly Gate[];
  readonly begun: number[];
} {
  const gates = Array.from({ length: to }, createGate);
  const begun: number[] = [];
  const tool = job(async function* (task) {
    begun.push(task.state.at);
    for (let at = task.state.at + 1; at <= to; at++) {
      await gates[at - 1]?.opened;
      yield { progress: at, total: to, state: { at }, append: [at] };
    }
    return "done";
  }, extras);
  return { tool, gates, begun };
}

/** Something that a tool waits for until the test lets it go on. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Waits for what never comes, unless the attempt must stop. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Follows a task to its end, and tells each event by its place and type. */
export async function historyOf(tasks: OwnedTasks, taskId: string, afterSeq = 0): Promise<string[]> {
  const seen: string[] = [];
  const stop = new AbortController();
  const { record } = await tasks.get(taskId);
  if (record.lastSeq === afterSeq) return [];
  for await (const entry of tasks.follow(taskId, { afterSeq, signal: stop.signal })) {
    seen.push(describeEntry(entry));
    const seq = entry.kind === "event" ? entry.event.seq : entry.record.lastSeq;
    if (seq >= record.lastSeq) stop.abort();
  }
  return seen;
}

function describeEntry(entry: Followed): string {
  if (entry.kind === "snapshot") return `${entry.record.lastSeq} snapshot`;
  const { event } = entry;
  return event.type === "attempt_ended" ? `${event.seq} ended:${event.reason}` : `${event.seq} ${event.type}`;
}

/** Fails each test of a file in which a promise was rejected without a handler. */
export function failOnUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(async () => {
    // Rejections are reported when the turn is over in which they had no handler.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
}

/** A tool that never comes to a checkpoint. */
export const stuck = job(async function* () {
  await new Promise(() => {});
  yield { progress: 1 };
  return "never";
});

/** A tool that is done after one checkpoint. */
export const quick = job(async function* () {
  yield { progress: 1 };
  return "done";
});

/** What a store throws that cannot write. */
export const diskFull = () =>
  new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details: { path: "journal", reason: "ENOSPC" } });
