import { isJsonObject, type Json, type TaskRecord } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import type { HistoryEvent } from "./history.js";

/** A task as it is at the end of a run. */
export interface FinalTask {
  readonly owner: string;
  readonly record: TaskRecord;
  readonly items: readonly Json[];
  readonly followed: readonly Followed[];
}

/** A guarantee that did not hold. */
export interface Violation {
  /** The guarantee, as `docs/guarantees.md` numbers it, or `liveness`, `fairness`, `determinism`. */
  readonly rule: string;
  readonly text: string;
}

/** What the checkers read. */
export interface Evidence {
  readonly plan: {
    readonly mode: "chaos" | "poison" | "waiting";
    readonly durability: "machine" | "process";
    readonly limits: { readonly [name: string]: number };
    readonly calls: readonly PlannedFacts[];
  };
  readonly events: readonly HistoryEvent[];
  readonly tasks: readonly FinalTask[];
}

/** Judges a run by what was seen from outside. It knows the guarantees, and nothing of the engine. */
export function check(evidence: Evidence): readonly Violation[] {
  return [
    checkLiveness,
    checkDurable,
    checkNoRepeat,
    checkAtomic,
    checkOneWriter,
    checkOrder,
    checkForward,
    checkSameCall,
    checkAnswers,
    checkContained,
    checkFair,
    checkShown,
    checkDelivery,
    checkWaits,
  ].flatMap((rule) => rule(evidence));
}

function of(events: readonly HistoryEvent[], kind: string): readonly HistoryEvent[] {
  return events.filter((event) => event.kind === kind);
}

/** Every task that can end does so. */
function checkLiveness({ events, tasks }: Evidence): readonly Violation[] {
  const [ended] = of(events, "ended");
  const left = tasks.filter(({ record }) => !["completed", "failed", "cancelled"].includes(record.status));
  const unread = of(events, "not_read").map(({ error }) => `The store could not be read: ${String(error)}`);
  const stuck = left.map(({ record }) => `${record.id} is ${record.status} at the end.`);
  if (ended?.["all"] !== true && stuck.length === 0) stuck.push("The tasks could not be listed.");
  return [...unread, ...stuck].map((text) => ({ rule: "liveness", text }));
}

/** G1: what a caller or a tool was told is in the journal. */
function checkDurable({ events, tasks }: Evidence): readonly Violation[] {
  const byId = new Map(tasks.map((task) => [task.record.id, task]));
  const lost = of(events, "called").filter(({ task }) => !byId.has(String(task)));
  const forgotten = of(events, "committed").filter(({ task, at }) => {
    const final = byId.get(String(task));
    return final !== undefined && final.items[Number(at)] !== at;
  });
  return [
    ...lost.map(({ task, atMs }) => ({
      rule: "G1",
      text: `${task}, which was acknowledged at ${atMs} ms, does not exist.`,
    })),
    ...forgotten.map(({ task, at, atMs }) => ({
      rule: "G1",
      text: `The checkpoint ${at} of ${task}, acknowledged at ${atMs} ms, is not in its items.`,
    })),
    ...lostResults(events, byId),
  ];
}

function lostResults(events: readonly HistoryEvent[], byId: ReadonlyMap<string, FinalTask>): readonly Violation[] {
  const results = of(events, "result").filter(({ task, status }) => {
    const final = byId.get(String(task));
    // A failed task may be continued by the same call.
    return final !== undefined && status === "completed" && final.record.status !== status;
  });
  return results.map(({ task, status, atMs }) => ({
    rule: "G1",
    text: `A caller of ${task} was told ${status} at ${atMs} ms, and it is ${byId.get(String(task))?.record.status}.`,
  }));
}

/** G2: what was committed is not begun again by that attempt or a later one. */
function checkNoRepeat({ events }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const done = new Map<string, number>();
  for (const event of events) {
    const key = `${event.kind === "step_runs" || event.kind === "step_done" ? "step" : "checkpoint"} ${event["at"]} of ${event["task"]}`;
    const attempt = Number(event["attempt"]);
    if (event.kind === "committed" || event.kind === "step_done")
      done.set(key, Math.min(done.get(key) ?? attempt, attempt));
    if (event.kind !== "begins" && event.kind !== "step_runs") continue;
    const by = done.get(key);
    if (by !== undefined && attempt >= by) {
      violations.push({
        rule: "G2",
        text: `The ${key} was committed in attempt ${by} and begun again in attempt ${attempt} at ${event.atMs} ms.`,
      });
    }
  }
  return violations;
}

/** G3: an attempt finds state and items of the same checkpoint, and the items in order. */
function checkAtomic({ events, tasks }: Evidence): readonly Violation[] {
  const torn = of(events, "attempt").filter(({ at, items }) => at !== items);
  const mixed = of(events, "item_read").filter(({ place, item }) => place !== item);
  const wrong = tasks.filter(({ items }) => items.some((item, place) => item !== place));
  return [
    ...torn.map(
      ({ task, at, items, attempt }) => `Attempt ${attempt} of ${task} found the state of ${at} and ${items} items.`,
    ),
    ...mixed.map(({ task, place, item }) => `Item ${place} of ${task} was read as ${item}.`),
    ...wrong.map(({ record, items }) => `The items of ${record.id} are ${JSON.stringify(items)}.`),
  ].map((text) => ({ rule: "G3", text }));
}

/** G4: what an attempt was told is committed was committed by that attempt. */
function checkOneWriter({ events, tasks }: Evidence): readonly Violation[] {
  const writers = new Map<string, number>();
  for (const { record, followed } of tasks) {
    let attempt = 0;
    for (const each of followed) {
      if (each.kind !== "event") continue;
      if (each.event.type === "attempt_started") attempt = each.event.attempt;
      if (each.event.type !== "checkpoint") continue;
      // Compaction keeps items and removes the attempt that wrote them.
      if (attempt > 0) for (const item of each.event.items ?? []) writers.set(`${record.id}/${String(item)}`, attempt);
    }
  }
  return of(events, "committed")
    .filter(({ task, at, attempt }) => {
      const writer = writers.get(`${task}/${at}`);
      return writer !== undefined && writer !== attempt;
    })
    .map(({ task, at, attempt }) => ({
      rule: "G4",
      text: `Attempt ${attempt} of ${task} was told that it committed ${at}, which attempt ${writers.get(`${task}/${at}`)} did.`,
    }));
}

/** G5: a caller sees each event once and in order. */
function checkOrder({ events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  for (const event of events) {
    const key = `${event["caller"]} of ${event["task"]}`;
    if (event.kind === "snapshot") last.set(key, Number(event["seq"]));
    if (event.kind !== "sees") continue;
    const before = last.get(key) ?? 0;
    if (event["seq"] !== before + 1)
      violations.push({ rule: "G5", text: `${key} saw event ${event["seq"]} after ${before}.` });
    last.set(key, Number(event["seq"]));
  }
  for (const { record, followed } of tasks) {
    let seq: number | undefined;
    for (const each of followed) {
      const now = each.kind === "event" ? each.event.seq : each.record.lastSeq;
      if (each.kind === "event" && now !== (seq ?? 0) + 1) {
        violations.push({ rule: "G5", text: `The journal of ${record.id} has ${now} after ${seq}.` });
      }
      seq = now;
    }
  }
  return violations;
}

/** G6: progress never goes back within a generation. */
function checkForward({ tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  for (const { record, followed } of tasks) {
    let progress = 0;
    for (const each of followed) {
      if (each.kind !== "event") continue;
      if (each.event.type === "restarted") progress = 0;
      if (each.event.type !== "checkpoint" || each.event.progress === undefined) continue;
      if (each.event.progress < progress)
        violations.push({ rule: "G6", text: `${record.id} went back from ${progress} to ${each.event.progress}.` });
      progress = each.event.progress;
    }
  }
  return violations;
}

/** G7: the same call finds the same task while it is unfinished, and a call that is named always does. */
function checkSameCall({ events, tasks, plan }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const named = new Map<string, unknown>();
  const callIds = new Map(planCalls(plan).map(({ name, callId }) => [name, callId]));
  for (const { caller, task } of of(events, "called")) {
    const callId = callIds.get(String(caller));
    if (callId === undefined) continue;
    const before = named.get(callId) ?? task;
    if (before !== task) violations.push({ rule: "G7", text: `The call ${callId} found ${before}, then ${task}.` });
    named.set(callId, before);
  }
  const twins = new Map<string, FinalTask[]>();
  for (const task of tasks) {
    const key = `${task.owner} ${JSON.stringify(task.record.input)}`;
    twins.set(key, [...(twins.get(key) ?? []), task]);
  }
  const returned = new Map(of(events, "returns").map(({ task, atMs }) => [String(task), atMs]));
  const created = new Map(
    of(events, "called")
      .toReversed()
      .map(({ task, atMs }) => [String(task), atMs]),
  );
  for (const same of twins.values()) {
    for (const [one, other] of pairs(same)) {
      const isCompleted = one.record.status === "completed";
      const end = returned.get(one.record.id);
      const begin = created.get(other.record.id);
      const [oneCall, otherCall] = [created.get(one.record.id), begin];
      if (!isCompleted || end === undefined || begin === undefined || oneCall === undefined || otherCall === undefined)
        continue;
      if (oneCall < otherCall && otherCall < end - 100) {
        violations.push({
          rule: "G7",
          text: `${other.record.id} was created while ${one.record.id} of the same call was unfinished.`,
        });
      }
    }
  }
  return violations;
}

/** A call as it was planned. */
interface PlannedFacts {
  readonly name: string;
  readonly owner: string;
  readonly via: string;
  readonly input: Json;
  readonly callId: string | undefined;
}

function planCalls(plan: Evidence["plan"]): readonly PlannedFacts[] {
  return plan.calls;
}

function* pairs<Value>(values: readonly Value[]): Generator<readonly [Value, Value]> {
  for (const one of values) for (const other of values) if (one !== other) yield [one, other];
}

/** G9: a question takes at most one answer, an accepted answer is that one, and the tool gets it. */
function checkAnswers({ events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const words = new Map<string, string | undefined>();
  for (const { record, followed } of tasks) {
    for (const each of followed) {
      if (each.kind !== "event" || each.event.type !== "answered") continue;
      const key = `${each.event.key} of ${record.id}`;
      if (words.has(key)) violations.push({ rule: "G9", text: `The question ${key} has two answers.` });
      const { answer } = each.event;
      words.set(key, answer.action === "accept" ? String(answer.content["word"]) : undefined);
    }
  }
  const accepted = new Map<string, unknown>();
  for (const { task, key: question, word } of of(events, "answer_accepted")) {
    const key = `${question} of ${task}`;
    if (accepted.has(key) && accepted.get(key) !== word)
      violations.push({ rule: "G9", text: `Two answers to ${key} were accepted.` });
    accepted.set(key, word);
    const final = tasks.find(({ record }) => record.id === task);
    if (
      final?.record.status === "completed" &&
      !final.followed.some(({ kind }) => kind === "snapshot") &&
      words.get(key) !== word
    ) {
      violations.push({
        rule: "G9",
        text: `The answer ${word} to ${key} was accepted, and the journal has ${words.get(key)}.`,
      });
    }
  }
  for (const { task, at, action, word } of of(events, "answered")) {
    const key = `ask-${at} of ${task}`;
    if (action === "accept" && words.has(key) && words.get(key) !== word) {
      violations.push({ rule: "G9", text: `The tool got ${word} for ${key}, and the journal has ${words.get(key)}.` });
    }
  }
  return violations;
}

/** G12: a task fails only for what it does itself. */
function checkContained({ tasks }: Evidence): readonly Violation[] {
  return tasks.flatMap(({ record }) => {
    if (record.status !== "failed" || record.error === undefined) return [];
    const text = JSON.stringify(record.input);
    const { code } = record.error;
    const isRight =
      (code === "CRASH_LOOP" && text.includes('"poison"')) || (code === "TOOL_FAILED" && text.includes('"give_up"'));
    return isRight
      ? []
      : [{ rule: "G12", text: `${record.id} failed with ${record.error.code}: ${record.error.message}` }];
  });
}

/** A short call while slots are free, with nothing broken meanwhile, is done within this time. */
const patienceMs = 5_000;
/** So long after it began a fault of the disk is over. */
const faultMs = 13_000;

/** Nobody waits for others while slots are free. */
function checkFair({ plan, events }: Evidence): readonly Violation[] {
  // With fewer slots than tasks a probe may wait for one.
  if ((plan.limits["maxRunning"] ?? 0) < 32) return [];
  const ends = new Map(of(events, "probe_ends").map(({ probe, atMs }) => [probe, atMs]));
  const lastMs = events.at(-1)?.atMs ?? 0;
  const broken = events.filter(({ kind }) => kind === "died" || kind === "fault" || kind === "probe_fails");
  return of(events, "probe_begins").flatMap(({ probe, atMs }) => {
    const endMs = ends.get(probe) ?? lastMs;
    if (endMs - atMs <= patienceMs) return [];
    const isDisturbed = broken.some(
      (fault) => fault.atMs > atMs - faultMs && fault.atMs < Math.min(endMs, atMs + patienceMs),
    );
    if (isDisturbed) return [];
    return [
      {
        rule: "fairness",
        text: `Probe ${String(probe)}, made at ${atMs} ms, took ${Math.round(endMs - atMs)} ms while slots were free.`,
      },
    ];
  });
}

/** G5, G6: what a client of MCP is shown of one call rises. */
function checkShown({ events }: Evidence): readonly Violation[] {
  return of(events, "mcp_progress")
    .filter(({ progress, before, snapshot }) => Number(progress) < Number(before) + (snapshot === true ? 0 : 1e-9))
    .map(({ caller, progress, before, atMs }) => ({
      rule: "G6",
      text: `${String(caller)} was shown ${String(progress)} after ${String(before)} at ${atMs} ms.`,
    }));
}

/** G7: a result that no caller got is given to the same call; only then does it begin a new task. */
function checkDelivery({ plan, events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  for (const { name, owner, via, input } of planCalls(plan)) {
    const callers = planCalls(plan).filter((call) => call.owner === owner && sameInput(call.input, input));
    if (via === "engine" || callers.length > 1) continue;
    const completed = tasks.filter(({ record, owner: tag }) => tag === `client:${owner}` && record.status === "completed" && sameInput(record.input, input));
    const accepted = of(events, "accepted").filter(({ caller }) => caller === name).length;
    if (completed.length > accepted + 1) {
      violations.push({ rule: "G7", text: `The call of ${name} ran ${completed.length} times, and ${accepted} results were accepted.` });
    }
  }
  return violations;
}

function sameInput(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Beyond its time a sleep in a process that lives on may take this long. */
const lateMs = 3_000;

/** G9: a living process measures its waits with its monotonic clock. */
function checkWaits({ plan, events, tasks }: Evidence): readonly Violation[] {
  if ((plan.limits["maxRunning"] ?? 0) < 32) return [];
  const inputs = new Map(tasks.map(({ record }) => [record.id, record.input]));
  const disturbed = events.filter(({ kind, fault }) => kind === "died" || (kind === "fault" && fault !== "clock"));
  const begun = new Map<string, number>();
  return events.flatMap((event) => {
    const key = `${String(event["task"])}/${String(event["at"])}/${String(event["attempt"])}`;
    if (event.kind === "begins" && event["op"] === "sleep") begun.set(key, event.atMs);
    const sinceMs = begun.get(key);
    if (event.kind !== "slept" || sinceMs === undefined) return [];
    const tookMs = event.atMs - sinceMs;
    const ms = sleepOf(inputs.get(String(event["task"])), Number(event["at"]));
    const isDisturbed = disturbed.some(({ atMs }) => atMs > sinceMs - faultMs && atMs < event.atMs);
    if (ms === undefined || isDisturbed || tookMs <= ms + lateMs) return [];
    return [{ rule: "G9", text: `A sleep of ${ms} ms of ${String(event["task"])} took ${Math.round(tookMs)} ms in a process that lived.` }];
  });
}

function sleepOf(input: Json | undefined, at: number): number | undefined {
  const program = isJsonObject(input) ? input["program"] : undefined;
  const operation: Json | undefined = Array.isArray(program) ? program[at] : undefined;
  return isJsonObject(operation) && typeof operation["ms"] === "number" ? operation["ms"] : undefined;
}
