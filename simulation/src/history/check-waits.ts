import { isJsonObject, type Json } from "@resumable-mcp/core";
import { type Evidence, eventsOf, type FinalTask, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";
import { limitsTool } from "./slots.js";

/**
 * G9: in processes that live a wait takes as long as it should: a sleep by the monotonic clock, a question until its answer
 * was accepted.
 */
export function checkWaits(evidence: Evidence): readonly Violation[] {
  const { plan, events, tasks } = evidence;
  const breaks = events.filter(({ kind, fault }) => kind === "died" || (kind === "fault" && !harmless.has(fault)));
  const isQuiet = (fromMs: number, toMs: number) =>
    !breaks.some(({ atMs }) => atMs > fromMs - evidence.patience.faultMs && atMs < toMs);
  const inPlace = sleepsInPlace(evidence, isQuiet);
  // With fewer slots than tasks, one whose wait is over may wait for a slot.
  if ((plan.limits.maxRunning ?? 0) < 32 || plan.limits.maxRunningPerOwner !== undefined) return inPlace;
  if (limitsTool(plan.tool)) return inPlace;
  const steady = new Map(tasks.filter(isSteady).map((task) => [task.record.id, task]));
  return [...inPlace, ...lateSleeps(evidence, steady, isQuiet), ...lateAnswers(evidence, steady, isQuiet)];
}

/** Faults in spite of which a wait takes as long as it should. */
const harmless: ReadonlySet<unknown> = new Set(["clock", "drift", "spikes", "losses", "slow_readers", "repeats"]);

type IsQuiet = (fromMs: number, toMs: number) => boolean;

/** Completed, with a journal that shows no pause, failure or new generation: then only its waits can have held it up. */
function isSteady({ record, followed }: FinalTask): boolean {
  if (record.status !== "completed") return false;
  return followed.every((each) => {
    if (each.kind === "snapshot") return false;
    const { event } = each;
    if (event.type === "attempt_ended") return event.reason === "waiting" || event.reason === "crashed";
    return event.type !== "desiredState" && event.type !== "restarted";
  });
}

/** What clocks that drift may differ by. */
const maxDrift = 0.02;

/** Sleeps that one process slept in one attempt: they need no slot to end. */
function sleepsInPlace({ patience, events, tasks }: Evidence, isQuiet: IsQuiet): readonly Violation[] {
  const inputs = new Map(tasks.map(({ record }) => [record.id, record.input]));
  const begunMs = new Map<string, { readonly attempt: unknown; readonly atMs: number }>();
  return events.flatMap(({ kind, op, attempt, atMs, task, at }) => {
    const key = `${String(task)}/${String(at)}`;
    // What a later attempt finds begun is measured from another moment.
    if (kind === "begins" && op === "sleep") begunMs.set(key, { attempt: begunMs.has(key) ? -1 : attempt, atMs });
    const begun = begunMs.get(key);
    if (kind !== "slept" || begun === undefined || begun.attempt !== attempt) return [];
    const tookMs = atMs - begun.atMs;
    const ms = sleepOf(inputs.get(String(task)), Number(at));
    if (ms === undefined) return [];
    const isLate = tookMs > ms + patience.lateMs && isQuiet(begun.atMs, begun.atMs + ms + patience.lateMs);
    if (tookMs >= ms * (1 - maxDrift) - 2 && !isLate) return [];
    const text = `A sleep of ${ms} ms of ${String(task)} took ${Math.round(tookMs)} ms in a process that lived.`;
    return [{ rule: "G9", text }];
  });
}

function lateSleeps(
  { patience, events }: Evidence,
  tasks: ReadonlyMap<string, FinalTask>,
  isQuiet: IsQuiet,
): readonly Violation[] {
  const begunMs = new Map<string, number>();
  return events.flatMap((event) => {
    const key = placeOf(event);
    if (event.kind === "begins" && event.op === "sleep" && !begunMs.has(key)) begunMs.set(key, event.atMs);
    const sinceMs = begunMs.get(key);
    if (event.kind !== "slept" || sinceMs === undefined) return [];
    const tookMs = event.atMs - sinceMs;
    const ms = sleepOf(tasks.get(String(event.task))?.record.input, Number(event.at));
    if (ms === undefined || tookMs <= ms + patience.lateMs || !isQuiet(sinceMs, sinceMs + ms + patience.lateMs))
      return [];
    const text = `A sleep of ${ms} ms of ${String(event.task)} took ${Math.round(tookMs)} ms in a process that lived.`;
    return [{ rule: "G9", text }];
  });
}

function lateAnswers(
  { patience, events }: Evidence,
  tasks: ReadonlyMap<string, FinalTask>,
  isQuiet: IsQuiet,
): readonly Violation[] {
  const arrivalMs = new Map(eventsOf(events, "answered").map((event) => [placeOf(event), event.atMs]));
  return eventsOf(events, "answer_accepted").flatMap(({ task, key, atMs }) => {
    const tookMs = (arrivalMs.get(`${task}/${String(key).replace("ask-", "")}`) ?? atMs) - atMs;
    if (!tasks.has(String(task)) || tookMs <= patience.lateMs || !isQuiet(atMs, atMs + patience.lateMs)) return [];
    const text = `The answer to ${String(key)} of ${String(task)}, accepted at ${atMs} ms, took ${Math.round(tookMs)} ms to its tool.`;
    return [{ rule: "G9", text }];
  });
}

function placeOf({ task, at }: HistoryEvent): string {
  return `${String(task)}/${String(at)}`;
}

function sleepOf(input: Json | undefined, at: number): number | undefined {
  const program = isJsonObject(input) ? input.program : undefined;
  const operation: Json | undefined = Array.isArray(program) ? program[at] : undefined;
  return isJsonObject(operation) && typeof operation.ms === "number" ? operation.ms : undefined;
}
