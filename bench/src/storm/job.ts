import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { defineTool, RetryableError, type Tool } from "@resumable-mcp/core";
import { type PlannedFacts, stepDelayMs, stepTimeoutMs } from "@resumable-mcp/simulation/history";
import { z } from "zod";
import { createRandom } from "../kills/kill-plan.js";
import type { Note } from "../kills/storm-history.js";

const operations = ["work", "step", "sleep", "ask", "flaky", "map", "artifact", "call"] as const;
const operation = z.object({ op: z.enum(operations), ms: z.number() });
const jobInput = z.object({ run: z.string(), program: z.array(operation) });
type Operation = z.infer<typeof operation>;

/** What a call gives to the tool. */
export type Job = z.infer<typeof jobInput>;

export const jobToolName = "storm_job";
const partToolName = "storm_part";

/** What runs do: how many operations, of which kinds, and how long these take. */
interface JobKind {
  readonly operations: readonly [Operation["op"], ...Operation["op"][]];
  readonly ms: readonly [low: number, high: number];
  readonly length: readonly [low: number, high: number];
}

const each = ["step", "flaky", "map", "artifact", "call"] as const;
const work = Array.from({ length: 12 }, () => "work" as const);

/** As callers have them. */
export const anyJob: JobKind = {
  operations: ["work", "work", "work", ...each, "sleep", "ask"],
  ms: [50, 300],
  length: [8, 30],
};

/** One commit after the other. */
export const busyJob: JobKind = { operations: ["work", ...work, ...each], ms: [0, 6], length: [10, 50] };

/** Draws what a run does: the same for the same seed, in every process. */
export function drawJob(run: string, seed: number, { operations, ms, length }: JobKind): Job {
  const random = createRandom(createHash("sha256").update(`${seed}/${run}`).digest().readUInt32LE());
  const draw = (): Operation => {
    const op = random.pick(operations);
    return { op, ms: op === "sleep" ? random.between(100, 2_000) : random.between(...ms) };
  };
  return { run, program: Array.from({ length: random.between(...length) }, draw) };
}

/** The call of a job, and what its completed task has. */
export function jobCall(input: Job, owner: string): PlannedFacts {
  const expects = { output: { done: input.program.length }, items: itemsOf(input.program) };
  return { name: input.run, owner, via: "client", input, callId: undefined, expects };
}

/** Items of a map, and how many of them run at once. */
const [mapItems, mapWidth] = [5, 3];

/** Each operation appends one item, and a map those of its own. */
const itemsOf = (program: readonly Operation[]): number => program.reduce((sum, { op }) => sum + 1 + resultsOf(op), 0);
const resultsOf = (op: Operation["op"] | undefined): number => (op === "map" ? mapItems : 0);

/** The tool of all jobs, and the one that they call. */
export const jobTools = (note: Note): readonly [job: Tool, part: Tool] => [jobTool(note), partTool(note)];

/** Does what its input says, one operation after the other, with a checkpoint and an item for each. */
const jobTool = (noteAny: Note): Tool =>
  defineTool({
    name: jobToolName,
    description: "Works, computes, sleeps, asks, keeps files and calls.",
    input: jobInput,
    output: z.object({ done: z.number() }),
    state: { at: 0, items: 0 },
    item: z.number(),
    async *run({ run, program }, task) {
      const note = noteOf(noteAny, task);
      let items = 0;
      for await (const item of task.items()) {
        if (item !== items) note("item_read", { place: items, item });
        items += 1;
      }
      const { at: from, items: stateItems } = task.state;
      note("attempt", { at: from, stateItems, mapItems: resultsOf(program[from]?.op), items });
      let known = stateItems;
      try {
        for (const [at, { op, ms }] of program.entries()) {
          if (at < from) continue;
          note("begins", { at, op });
          await perform[op]({ run, at, ms, known, task, note });
          known += 1 + resultsOf(op);
          yield { progress: known, total: itemsOf(program), state: { at: at + 1, items: known }, append: [known - 1] };
          note("committed", { at, items: known, progress: known });
        }
        note("returns", {});
        return { done: program.length };
      } finally {
        note("leaves", {});
      }
    },
  });

/** A plain function, all of which may run again. */
const partTool = (noteAny: Note): Tool =>
  defineTool({
    name: partToolName,
    description: "Does a part of a job.",
    durable: true,
    input: z.object({ run: z.string(), key: z.string(), ms: z.number() }),
    output: z.object({ values: z.array(z.string()) }),
    async run({ ms }, task) {
      const note = noteOf(noteAny, task);
      note("attempt", { at: 0, items: 0 });
      try {
        await pause(ms, undefined, { signal: task.signal });
        const first = await step("part-1", ms, { task, note });
        await task.sleep("pause", ms);
        const values = [first, await step("part-2", ms, { task, note })];
        note("returns", {});
        return { values };
      } finally {
        note("leaves", {});
      }
    },
  });

type AnyTask = Parameters<Tool["run"]>[1];

const noteOf =
  (note: Note, { id, attempt }: AnyTask): Note =>
  (kind, facts) =>
    note(kind, { task: id, attempt, ...facts });

/** One operation in one attempt. */
interface Doing {
  readonly run: string;
  readonly at: number;
  readonly ms: number;
  /** So many items were appended before. */
  readonly known: number;
  readonly task: AnyTask;
  readonly note: Note;
}

const perform: { readonly [Op in Operation["op"]]: (doing: Doing) => Promise<unknown> } = {
  work: ({ ms, task }) => pause(ms, undefined, { signal: task.signal }),
  async sleep({ at, ms, task, note }) {
    await task.sleep(`sleep-${at}`, ms);
    note("slept", { at });
  },
  async ask({ run, at, task, note }) {
    const schema = z.object({ word: z.string() });
    const answer = await task.ask(`ask-${at}`, { message: questionOf(run, at), schema });
    const word = answer.action === "accept" ? answer.content.word : undefined;
    note("answered", { at, action: answer.action, word });
  },
  step: ({ at, ms, ...doing }) => step(`step-${at}`, ms, doing),
  flaky: ({ at, ms, ...doing }) => flakyStep(`flaky-${at}`, ms, doing),
  map: mapAll,
  artifact: keepArtifact,
  /** What it gives is kept like the value of a step. */
  async call({ run, at, ms, task, note }) {
    const key = `call-${at}`;
    const output = await task.call(key, partToolName, { run, key: `${key} of ${task.id}`, ms });
    note("step_done", { key, value: JSON.stringify(output) });
  },
};

type Witness = Pick<Doing, "task" | "note">;

/** Its value is another one each time that it is computed. */
async function step(key: string, ms: number, { task, note }: Witness): Promise<string> {
  const value = await task.step(key, async () => {
    note("step_runs", { key });
    await pause(ms);
    return randomUUID();
  });
  note("step_done", { key, value });
  return value;
}

/** Its first attempt fails, and the second takes too long. In a process that stood still others may be too late as well. */
async function flakyStep(key: string, ms: number, { task, note }: Witness): Promise<void> {
  const options = { timeout: stepTimeoutMs, retry: { maxAttempts: 1_000, initialDelay: 50, maxDelay: 50 } };
  const value = await task.step(
    key,
    async ({ attempt: tries, signal }) => {
      note("step_runs", { key, tries });
      if (tries > 2) return pause(ms, randomUUID());
      note(tries === 1 ? "step_fails" : "step_hangs", { key, tries });
      if (tries === 2) await pause(60_000, undefined, { signal });
      throw new RetryableError("The outside world refused it.", { delay: stepDelayMs });
    },
    options,
  );
  note("step_done", { key, value });
}

/** Its results are their places among the items of the task. The first attempt of one item fails. */
async function mapAll({ at, ms, known, task, note }: Doing): Promise<void> {
  const key = `map-${at}`;
  const run = async (item: number, { attempt }: { readonly attempt: number }) => {
    note("item_runs", { key, item, width: mapWidth });
    await pause(ms);
    if (item === 1 && attempt === 1) throw new RetryableError("The outside world refused it.", { delay: 20 });
    return known + item;
  };
  const all = Array.from({ length: mapItems }, (_, item) => item);
  const { completed, failed } = await task.map(key, all, run, { concurrency: mapWidth });
  note("map_done", { key, value: `${completed} and ${failed}` });
  if (completed !== mapItems || failed !== 0) note("map_miscounts", { key });
}

/** Three chunks of a store. */
const artifactLength = 540_000;
const pieceLength = 100_000;

/** What makes it is noted as what a step runs: once it is durable it is not made again. */
async function keepArtifact({ at, ms, task, note }: Doing): Promise<void> {
  const key = `artifact-${at}`;
  await task.artifact(key, async function* () {
    note("step_runs", { key });
    const text = artifactText(task.id, key);
    for (let from = 0; from < text.length; from += pieceLength) {
      await pause(ms / 4);
      yield text.slice(from, from + pieceLength);
    }
  });
  note("step_done", { key, value: artifactLength });
}

/** What an artifact holds: no other one holds the same. */
export function artifactText(task: string, key: string): string {
  return `${key} of ${task}. `.repeat(artifactLength / key.length).slice(0, artifactLength);
}

const questionOf = (run: string, at: number): string => `What is the word of ${run} at ${at}?`;

/** The one right answer to a question, by what it asks. */
export function wordFor(question: string): string {
  return question.replace(/^What is the word of (\S+) at (\d+)\?$/, "$1/$2");
}
