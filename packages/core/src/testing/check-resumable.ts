import { createEngine } from "../engine/create-engine.js";
import { canonicalJson, type Json } from "../json.js";
import { createMemoryStore, type MemoryStore } from "../store/memory/memory-store.js";
import type { Store } from "../store/store.js";
import type { Answer } from "../task/task-event.js";
import type { TaskRecord } from "../task/task-record.js";
import type { JsonSchemaValidator } from "../tool/schema.js";
import type { Tool } from "../tool/tool.js";

/** What crashing a tool everywhere showed. */
export interface ResumableReport {
  /** Places between two commits at which the tool was crashed, each once before and once after the commit. */
  readonly boundaries: number;
  /** The output of the undisturbed run. */
  readonly output: Json;
  /** What the undisturbed run appended. */
  readonly items: readonly Json[];
  /** One sentence for each crash after which result or items were others. Empty when the tool is resumable. */
  readonly differences: readonly string[];
}

/** How to run the tool. */
export interface CheckResumableOptions {
  /** Answers to what the tool asks, by key. */
  readonly answers?: { readonly [key: string]: Answer };
  /** The tools that it calls by `task.call`: their tasks are crashed as well. */
  readonly tools?: readonly Tool[];
  readonly validateJsonSchema?: JsonSchemaValidator;
  /** Steps and checkpoints to crash at; the test fails beyond it. Default 1000. */
  readonly maxBoundaries?: number;
}

/** The task has one id in all runs, so that a tool may put it into its output. */
const callId = "check-resumable-0";

type Side = "before" | "after";
type AtCommit = (at: Side) => "go on" | "die";
type Run = (store: MemoryStore, atCommit: AtCommit) => Promise<Outcome>;

interface Outcome {
  readonly record: TaskRecord;
  readonly items: readonly Json[];
}

/**
 * Runs a tool once undisturbed, then again and again, each time killing the process before or after another commit
 * (every checkpoint, every step, start and end), lets it resume, and compares output and items.
 *
 * @example
 * const report = await checkResumable(countWords, { path: "book.txt" });
 * expect(report.differences).toEqual([]);
 */
export async function checkResumable(
  tool: Tool,
  input: Json,
  options: CheckResumableOptions = {},
): Promise<ResumableReport> {
  const { maxBoundaries = 1_000 } = options;
  const run: Run = (store, atCommit) => runOn(store, atCommit, tool, input, options);
  let boundaries = 0;
  const expected = await run(createMemoryStore(), (at) => {
    if (at === "before") boundaries += 1;
    return "go on";
  });
  if (boundaries > maxBoundaries) {
    throw new RangeError(`The tool has ${boundaries} boundaries; raise maxBoundaries or use a smaller input.`);
  }
  const differences: string[] = [];
  for (let boundary = 1; boundary <= boundaries; boundary++) {
    for (const side of ["before", "after"] as const) {
      const difference = compare(expected, await crashAt(boundary, side, run));
      if (difference !== undefined)
        differences.push(`crash ${side} commit ${boundary} of ${boundaries}: ${difference}`);
    }
  }
  return { boundaries, output: expected.record.output ?? null, items: expected.items, differences };
}

async function crashAt(boundary: number, side: Side, run: Run): Promise<Outcome> {
  const store = createMemoryStore();
  let count = 0;
  // A run that was crashed never ends; one that was not reached by the crash is compared below.
  await new Promise<void>((resolve) => {
    const atCommit: AtCommit = (at) => {
      if (at === "before") count += 1;
      if (count !== boundary || at !== side) return "go on";
      store.kill({ noticed: true });
      resolve();
      return "die";
    };
    void run(store, atCommit)
      .catch(() => {})
      .then(() => resolve());
  });
  return run(store.anotherProcess(), () => "go on");
}

async function runOn(
  store: MemoryStore,
  atCommit: AtCommit,
  tool: Tool,
  input: Json,
  { answers = {}, tools = [], validateJsonSchema }: CheckResumableOptions,
): Promise<Outcome> {
  const limits = { crashBackoffMs: 0, maxCrashesWithoutProgress: 1_000 };
  const engine = createEngine({ store: watched(store, atCommit), tools: [tool, ...tools], limits, validateJsonSchema });
  const tasks = engine.forOwner("local:check");
  const { id } = (await tasks.start({ tool: tool.name, input, callId })).record;
  for (;;) {
    const { reason, record, questions } = await tasks.wait(id);
    if (reason === "finished") {
      const { items } = await store.readItems(id, { after: 0, limit: record.itemCount });
      await engine.close();
      return { record, items };
    }
    if (reason !== "input_required") throw new Error(`Task ${id} of ${tool.name} stopped: ${reason}.`);
    for (const { key } of questions) {
      const answer = answers[key];
      if (answer === undefined) throw new Error(`The tool asks ${JSON.stringify(key)}: give options.answers for it.`);
      await tasks.answer(id, key, answer);
    }
  }
}

function watched(store: MemoryStore, atCommit: AtCommit): Store {
  const dead = new Promise<never>(() => {});
  return {
    ...store,
    async commit(request) {
      if (atCommit("before") === "die") return dead;
      const result = await store.commit(request);
      return atCommit("after") === "die" ? dead : result;
    },
  };
}

function compare(expected: Outcome, found: Outcome): string | undefined {
  if (found.record.status !== expected.record.status) {
    return `ended ${found.record.status}, not ${expected.record.status} (${found.record.error?.message ?? "no error"})`;
  }
  if (canonicalJson(found.record.output ?? null) !== canonicalJson(expected.record.output ?? null)) {
    return "the output is another";
  }
  return canonicalJson(found.items) === canonicalJson(expected.items) ? undefined : "the items are others";
}
