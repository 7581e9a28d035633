import { callerRules } from "./check-callers.js";
import { clientRules } from "./check-clients.js";
import { checkControl } from "./check-control.js";
import { checkFair } from "./check-fair.js";
import { hostRules } from "./check-hosts.js";
import { checkLimits } from "./check-limits.js";
import { checkChildren, checkOnce } from "./check-once.js";
import { checkOwners } from "./check-owners.js";
import { resultRules } from "./check-results.js";
import { checkSilence } from "./check-silence.js";
import { checkSteps } from "./check-steps.js";
import { checkVersions } from "./check-versions.js";
import { type Evidence, eventsOf, type FinalTask, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";
import { livesOf, removableTasks, withoutReusedIds } from "./lives.js";

/** Judges a run by what was seen from outside. It knows the guarantees, and nothing of the engine. */
export function check(evidence: Evidence): readonly Violation[] {
  const judged = withoutReusedIds(evidence);
  return [
    checkLiveness,
    checkDurable,
    checkNoRepeat,
    checkOnce,
    checkSteps,
    checkChildren,
    checkAtomic,
    checkOneWriter,
    checkOrder,
    checkForward,
    checkRecords,
    checkControl,
    checkOwners,
    checkLimits,
    checkFair,
    checkSilence,
    checkVersions,
    ...callerRules,
    ...clientRules,
    ...hostRules,
    ...resultRules,
  ].flatMap((rule) => rule(judged));
}

/** Every task that can end does so. */
function checkLiveness({ events, tasks }: Evidence): readonly Violation[] {
  const [ended] = eventsOf(events, "ended");
  const left = tasks.filter(({ record }) => !["completed", "failed", "cancelled"].includes(record.status));
  const unread = eventsOf(events, "not_read").map(({ error }) => `The store could not be read: ${String(error)}`);
  const stuck = left.map(({ record }) => `${record.id} is ${record.status} at the end.`);
  if (ended?.all !== true && stuck.length === 0) stuck.push("It was not seen that all tasks end.");
  return [...unread, ...stuck].map((text) => ({ rule: "liveness", text }));
}

/** G1: what a caller or a tool has as done is in the journal. */
function checkDurable(evidence: Evidence): readonly Violation[] {
  const { events, tasks } = evidence;
  const byId = new Map(tasks.map((task) => [task.record.id, task]));
  const removable = removableTasks(evidence);
  const lost = eventsOf(events, "called").filter(({ task }) => !byId.has(String(task)) && !removable.has(String(task)));
  const lives = livesOf(evidence);
  const forgotten = eventsOf(events, "committed").filter((event) => {
    const task = String(event.task);
    const final = byId.get(task);
    return final !== undefined && lives.isLast(event) && final.items.length < itemsAfter(event);
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
    ...eventsOf(events, "artifact_differs").map(({ task, key, found }) => ({
      rule: "G1",
      text: `The artifact ${key} of ${task} is read as ${found}.`,
    })),
    ...lostResults(events, byId),
  ];
}

/** How many items a task has after a checkpoint: one for each, unless its tool says otherwise. */
function itemsAfter({ at, items }: HistoryEvent): number {
  return Number(items ?? Number(at) + 1);
}

function lostResults(events: readonly HistoryEvent[], byId: ReadonlyMap<string, FinalTask>): readonly Violation[] {
  const results = eventsOf(events, "result").filter(({ task, status }) => {
    const final = byId.get(String(task));
    // A failed task may be continued by the same call.
    return final !== undefined && status === "completed" && final.record.status !== status;
  });
  return results.map(({ task, status, atMs }) => ({
    rule: "G1",
    text: `A caller of ${task} received ${status} at ${atMs} ms, and it is ${byId.get(String(task))?.record.status}.`,
  }));
}

/** G2: what was committed is not begun again by that attempt or a later one, and a step keeps its value. */
function checkNoRepeat(evidence: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const done = new Map<string, number>();
  const values = new Map<string, unknown>();
  const lives = livesOf(evidence);
  for (const event of evidence.events) {
    const isStep = event.kind === "step_runs" || event.kind === "step_done";
    const what = `${isStep ? "step" : "checkpoint"} ${event.key ?? event.at} of ${event.task}`;
    const key = `${what} ${lives.of(event)}`;
    const attempt = Number(event.attempt);
    if (event.kind === "step_done") {
      const value = values.get(key) ?? event.value;
      if (value !== event.value)
        violations.push({ rule: "G2", text: `The ${what} gave ${value}, and then ${event.value}.` });
      values.set(key, value);
    }
    if (event.kind === "committed" || event.kind === "step_done")
      done.set(key, Math.min(done.get(key) ?? attempt, attempt));
    if (event.kind !== "begins" && event.kind !== "step_runs") continue;
    const by = done.get(key);
    if (by !== undefined && attempt >= by) {
      violations.push({
        rule: "G2",
        text: `The ${what} was committed in attempt ${by} and begun again in attempt ${attempt} at ${event.atMs} ms.`,
      });
    }
  }
  return violations;
}

/** G3: an attempt finds state and items of the same checkpoint, and the items in order. */
function checkAtomic({ events, tasks }: Evidence): readonly Violation[] {
  const torn = eventsOf(events, "attempt").filter(({ at, stateItems, mapItems, items, whole }) => {
    const more = Number(items) - Number(stateItems ?? at);
    return more < 0 || more > Number(mapItems ?? 0) || whole === false;
  });
  const mixed = eventsOf(events, "item_read").filter(({ place, item }) => place !== item);
  const wrong = tasks.filter(({ items }) => items.some((item, place) => item !== place));
  return [
    ...torn.map(
      ({ task, at, items, attempt }) => `Attempt ${attempt} of ${task} found the state of ${at} and ${items} items.`,
    ),
    ...mixed.map(({ task, place, item }) => `Item ${place} of ${task} was read as ${item}.`),
    ...wrong.map(({ record, items }) => `The items of ${record.id} are ${JSON.stringify(items)}.`),
  ].map((text) => ({ rule: "G3", text }));
}

/** G4: a commit that an attempt sees succeed is its own. */
function checkOneWriter(evidence: Evidence): readonly Violation[] {
  const { events, tasks } = evidence;
  const lives = livesOf(evidence);
  const writers = new Map<string, number>();
  for (const { record, followed } of tasks) {
    let attempt = 0;
    for (const each of followed) {
      if (each.kind !== "event") continue;
      if (each.event.type === "attempt_started") attempt = each.event.attempt;
      if (each.event.type !== "checkpoint") continue;
      // Compaction keeps items and removes the attempt that wrote them.
      if (attempt === 0) continue;
      const life = lives.of({ task: record.id, attempt });
      for (const item of each.event.items ?? []) writers.set(`${record.id}/${life}/${String(item)}`, attempt);
    }
  }
  const writerOf = (event: HistoryEvent) =>
    writers.get(`${event.task}/${lives.of(event)}/${String(itemsAfter(event) - 1)}`);
  return withItems(events)
    .filter((event) => (writerOf(event) ?? event.attempt) !== event.attempt)
    .map((event) => ({
      rule: "G4",
      text: `Attempt ${event.attempt} of ${event.task} saw its commit of ${event.at} succeed, which attempt ${writerOf(event)} did.`,
    }));
}

/** The commits that added items: only of an item the journal says which attempt wrote it. */
function withItems(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const before = new Map<string, number>();
  return events.filter((event) => {
    if (event.kind !== "attempt" && event.kind !== "committed") return false;
    const key = `${event.task}/${event.attempt}`;
    const items = event.kind === "attempt" ? Number(event.items) : itemsAfter(event);
    const isMore = items > (before.get(key) ?? 0);
    before.set(key, items);
    return event.kind === "committed" && isMore;
  });
}

/** G5: a caller sees each event once and in order. */
function checkOrder({ events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  for (const event of events) {
    const key = `${event.caller} of ${event.task}`;
    if (event.kind === "snapshot") last.set(key, Number(event.seq));
    if (event.kind !== "sees") continue;
    const before = last.get(key) ?? 0;
    if (event.seq !== before + 1)
      violations.push({ rule: "G5", text: `${key} saw event ${event.seq} after ${before}.` });
    last.set(key, Number(event.seq));
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

/** G3: what is read of a task is what its journal says, where nothing of that was compacted. */
function checkRecords({ tasks }: Evidence): readonly Violation[] {
  return tasks.flatMap(({ record, followed }) => {
    const events = followed.flatMap((each) => (each.kind === "event" ? [each.event] : []));
    if (events.length !== record.lastSeq) return [];
    const said = { progress: 0, itemCount: 0, itemBytes: 0, attempt: 0, generation: 1 };
    for (const event of events) {
      if (event.type === "attempt_started") said.attempt = event.attempt;
      if (event.type === "restarted") said.generation = event.generation;
      if (event.type === "restarted" && !event.fromState)
        Object.assign(said, { progress: 0, itemCount: 0, itemBytes: 0 });
      if (event.type !== "checkpoint") continue;
      said.progress = event.progress ?? said.progress;
      said.itemCount += event.items?.length ?? 0;
      said.itemBytes += event.itemBytes ?? 0;
    }
    const { progress, itemCount, itemBytes, attempt, generation } = record;
    const [read, right] = [{ progress, itemCount, itemBytes, attempt, generation }, said].map((one) =>
      JSON.stringify(one),
    );
    return read === right
      ? []
      : [{ rule: "G3", text: `${record.id} is read as ${read}, and its journal says ${right}.` }];
  });
}
