import {
  defineTool,
  isJsonObject,
  isResumableError,
  type Json,
  RetryableError,
  type StepAttempt,
  TerminalError,
  type Tool,
} from "@resumable-mcp/core";
import { z } from "zod";
import { stepDelayMs, stepTimeoutMs } from "../history/check-steps.js";
import type { History } from "../history/history.js";
import type { Worker } from "../machine/worker.js";
import { pause } from "./pause.js";
import { answerSchema, type Operation, scriptInput } from "./script-operations.js";

/** How often each failing operation has failed, and how often steps ran: the outside world keeps count, whatever happens to the processes. */
export type Counts = Map<string, number>;

/** How the tool is declared. Drawn by the seed. */
export interface ToolSettings {
  readonly onVersionChange?: "resume" | "restart" | "fail";
  readonly onFailure?: "continue" | "restart";
  readonly onCallerCancel?: "stop" | "detach";
  readonly stallTimeout?: number;
  readonly maxRunning?: number;
  readonly maxRunningInStore?: number;
  readonly rate?: { readonly limit: number; readonly per: number };
}

/** What a tool of a worker reports to. */
export interface ToolWitness {
  readonly history: History;
  readonly counts: Counts;
  /** In which process code runs now. Making a tool for each would cost as much as a short life. */
  readonly here: () => Worker;
  readonly version: string;
  readonly settings: ToolSettings;
}

type Note = (kind: string, facts?: { readonly [name: string]: string | number | boolean | undefined }) => void;

/**
 * A tool that does what its input says, one operation after the other, with a checkpoint after each, and reports
 * everything that it does to the history.
 */
export function scriptTool({ history, counts, here, version, settings }: ToolWitness): Tool {
  return defineTool({
    ...settings,
    name: "script",
    description: "Does what its input says.",
    version,
    accepts: version === "2" ? ["1"] : [],
    input: scriptInput,
    // The pad makes the state large.
    state: { at: 0, items: 0, mapped: 0, pad: "", padBytes: 0 },
    item: z.number(),
    retry: { maxAttempts: attemptsPerProgress, initialDelay: 200, maxDelay: 2_000 },
    migrate: (state) => {
      if (isMigratable(state)) return { ...state };
      throw new TerminalError("The state of the other version has another form.");
    },
    async *run({ program }, task) {
      const { id, attempt } = task;
      const worker = here();
      const note: Note = (kind, facts) => {
        if (worker.isAlive) history.add(kind, { worker: worker.actor.name, task: id, attempt, ...facts });
      };
      const context: Context = { task, note, counts, worker };
      const { at: from, items: stateItems, pad, padBytes } = task.state;
      let items = 0;
      for await (const item of task.items()) {
        if (item !== items) note("item_read", { place: items, item });
        items += 1;
      }
      // What a map has done that is not over.
      const mapItems = resultsOf(program[from]);
      note("attempt", { at: from, stateItems, mapItems, items, whole: pad.length === padBytes, version });
      let state = { ...task.state };
      const total = program.reduce(
        (sum, operation) => sum + (operation.op === "map" ? operation.items : 0),
        program.length,
      );
      try {
        for (const [at, operation] of program.entries()) {
          if (at < from) continue;
          note("begins", { at, op: operation.op });
          await perform(operation, at, context, state.items);
          const known = state.items + resultsOf(operation);
          const append = itemsOf(operation, known);
          const mapped = state.mapped + (operation.op === "map" ? operation.items : 0);
          state = { ...stateAfter(operation, state), at: at + 1, mapped, items: known + append.length };
          yield { progress: at + 1 + mapped, total, state, append };
          note("committed", { at, items: state.items });
        }
        note("returns");
        return { done: program.length };
      } finally {
        note("leaves");
      }
    },
  });
}

/** Attempts in all since the last progress: an operation that fails this many times ends its task. */
export const attemptsPerProgress = 4;

function isMigratable(
  state: Json,
): state is { at: number; items: number; mapped: number; pad: string; padBytes: number } {
  return isJsonObject(state) && typeof state.at === "number" && typeof state.pad === "string";
}

/** How many items a map appends: each third one of those that collect failures fails. */
function resultsOf(operation: Operation | undefined): number {
  if (operation?.op !== "map") return 0;
  return operation.items - (operation.collects === true ? Math.floor(operation.items / 3) : 0);
}

/** Items are numbered: each is its own place. */
function itemsOf(operation: Operation, known: number): readonly number[] {
  return Array.from({ length: operation.op === "stream" ? operation.items : 1 }, (_, index) => known + index);
}

function stateAfter<State extends { readonly at: number; readonly items: number }>(
  operation: Operation,
  state: State,
): State {
  return operation.op === "load"
    ? { ...state, pad: "x".repeat(operation.bytes), padBytes: operation.bytes }
    : { ...state };
}

interface Context {
  readonly task: Parameters<Tool["run"]>[1];
  readonly note: Note;
  readonly counts: Counts;
  readonly worker: Worker;
}

/** @param known so many items were appended before. */
async function perform(operation: Operation, at: number, context: Context, known: number): Promise<void> {
  const { task, note, worker } = context;
  switch (operation.op) {
    case "work":
      return pause(operation.ms, task.signal);
    case "stubborn":
      return pause(operation.ms);
    case "step":
      return operation.fails === undefined
        ? step(`step-${at}`, context)
        : flakyStep(`step-${at}`, operation.fails, operation.hangs === true, context);
    case "map":
      return map(`map-${at}`, operation, context, known);
    case "artifact":
      return artifact(`artifact-${at}`, operation.bytes, context);
    case "call":
      await Promise.all(
        Array.from({ length: operation.children }, (_, index) => call(`call-${at}-${index}`, operation.ms, context)),
      );
      return;
    case "parallel":
      await Promise.all([
        ...Array.from({ length: operation.steps }, (_, index) => step(`step-${at}-${index}`, context)),
        task.sleep(`sleep-${at}`, operation.ms),
      ]);
      return;
    case "ask":
      await Promise.all([
        ask(at, operation.timeoutMs, context),
        stepsInTurn(at, operation.steps ?? 0, context),
        failWhileOpen(at, operation, context),
      ]);
      return;
    case "sleep":
      if (operation.afterMs !== undefined) await pause(operation.afterMs);
      await task.sleep(`sleep-${at}`, operation.ms);
      return note("slept", { at });
    case "log":
      for (let line = 0; line < operation.lines; line += 1) task.log("info", { at, line });
      return;
    case "stream":
    case "load":
      return;
    case "fail":
      if (countUp(context, `${task.id}/${at}`) > operation.times) return;
      note("throws", { at });
      throw new RetryableError("The outside world refused it.");
    case "give_up":
      note("throws", { at });
      throw new TerminalError("It cannot be done.");
    case "poison":
      await pause(20, task.signal);
      worker.die("by its tool");
      return pause(60_000);
  }
}

type Asking = Extract<Operation, { op: "ask" }>;

/** A step whose value is another one each time that it is computed. */
async function step(key: string, context: Context): Promise<void> {
  const { task, note } = context;
  const value = await task.step(key, async () => {
    note("step_runs", { key });
    await pause(5);
    return countUp(context, `${task.id}/${key}`);
  });
  note("step_done", { key, value });
}

/** A step that the outside world refuses so many times. It has few attempts, so that it may come to their end. */
async function flakyStep(key: string, fails: number, hangs: boolean, context: Context): Promise<void> {
  const { task, note } = context;
  const run = async ({ attempt: tries, signal }: StepAttempt) => {
    note("step_runs", { key, tries });
    await pause(5);
    const count = countUp(context, `${task.id}/${key}`);
    if (count > fails) return count;
    note(hangs ? "step_hangs" : "step_fails", { key, tries });
    if (hangs) await pause(3_600_000, signal);
    throw new RetryableError("The outside world refused it.", { delay: stepDelayMs });
  };
  const value = await task
    .step(key, run, { retry: { maxAttempts: 3 }, timeout: stepTimeoutMs })
    .catch((error: unknown) => {
      if (isResumableError(error, "STEP_FAILED")) note("step_used_up", { key });
      throw error;
    });
  note("step_done", { key, value });
}

/** Its output is kept like the value of a step. */
async function call(key: string, ms: number, { task, note }: Context): Promise<void> {
  const program: readonly Json[] = [{ op: "work", ms }, { op: "step" }, { op: "sleep", ms }];
  const output = await task.call(key, "script", { run: `${key} of ${task.id}`, program });
  note("step_done", { key, value: JSON.stringify(output) });
}

const pieceBytes = 100_000;

/** What makes it is noted as what a step runs: once it is durable it is not made again. */
async function artifact(key: string, bytes: number, { task, note }: Context): Promise<void> {
  await task.artifact(key, async function* () {
    note("step_runs", { key });
    const text = artifactText(task.id, key, bytes);
    for (let from = 0; from < bytes; from += pieceBytes) {
      await pause(3);
      yield text.slice(from, from + pieceBytes);
    }
  });
  note("step_done", { key, value: bytes });
}

/** What an artifact holds: no other one holds the same. */
export function artifactText(task: string, key: string, bytes: number): string {
  return `${key} of ${task}. `.repeat(Math.ceil(bytes / key.length)).slice(0, bytes);
}

type Mapping = Extract<Operation, { op: "map" }>;

/** Its results are their places among the items of the task. */
async function map(key: string, operation: Mapping, context: Context, known: number): Promise<void> {
  const { task, note } = context;
  const { items, width, fails = 0, collects = false } = operation;
  const run = async (item: number) => {
    note("item_runs", { key, item, width });
    await pause(5 + ((item * 7) % 11));
    if (collects && item % 3 === 2) throw new TerminalError("It cannot be done.");
    if (item === 1 && countUp(context, `${task.id}/${key}`) <= fails)
      throw new RetryableError("The outside world refused it.", { delay: stepDelayMs });
    return known + item - (collects ? Math.floor(item / 3) : 0);
  };
  const options = { concurrency: width, onFailure: collects ? "collect" : "stop" } as const;
  const list = Array.from({ length: items }, (_, item) => item);
  const counts = await task.map(key, items % 2 === 0 ? list : inTurn(list), run, options);
  note("map_done", { key, value: `${counts.completed} and ${counts.failed}` });
  const failed = items - resultsOf(operation);
  if (counts.failed !== failed || counts.completed !== items - failed) note("map_miscounts", { key });
}

async function* inTurn<Item>(list: readonly Item[]): AsyncGenerator<Item> {
  yield* list;
}

async function stepsInTurn(at: number, steps: number, context: Context): Promise<void> {
  for (let index = 0; index < steps; index += 1) await step(`step-${at}-${index}`, context);
}

async function ask(at: number, timeout: number | undefined, { task, note }: Context): Promise<void> {
  const answer = await task.ask(`ask-${at}`, { message: `What comes at ${at}?`, schema: answerSchema, timeout });
  const word = answer.action === "accept" ? answer.content.word : undefined;
  note("answered", { at, action: answer.action, word });
}

async function failWhileOpen(
  at: number,
  { failsAfterMs: afterMs, fails = 0 }: Asking,
  context: Context,
): Promise<void> {
  const { task, note } = context;
  if (afterMs === undefined || countUp(context, `${task.id}/${at}/fails`) > fails) return;
  await pause(afterMs / 4, task.signal);
  // That a step begins is written while the question waits: an answer may come with that, and is too late for this attempt.
  await task.step(`fails-${at}`, async () => {
    await pause(afterMs, task.signal);
    note("throws", { at });
    throw new Error("It failed while it asked.");
  });
}

function countUp({ counts }: Context, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
