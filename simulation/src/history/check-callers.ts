import type { JsonObject } from "@resumable-mcp/core";
import { checkAnswers } from "./check-answers.js";
import { checkWaits } from "./check-waits.js";
import { type Evidence, eventsOf, type FinalTask, isSameCall, type PlannedFacts, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";
import { operationsOf } from "./slots.js";

/** The rules about calls, answers, failures and waits. */
export const callerRules: readonly ((evidence: Evidence) => readonly Violation[])[] = [
  checkSameCall,
  checkAnswers,
  checkContained,
  checkSeen,
  checkShown,
  checkDelivery,
  checkContinues,
  checkWaits,
];

/** G7: the same call finds the same task while it is unfinished, and a call that is named always does. */
function checkSameCall({ events, tasks, plan, patience }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const named = new Map<string, unknown>();
  const callIds = new Map(plan.calls.map(({ name, callId }) => [name, callId]));
  for (const { caller, task } of eventsOf(events, "called")) {
    const callId = callIds.get(String(caller));
    if (callId === undefined) continue;
    const before = named.get(callId) ?? task;
    if (before !== task) violations.push({ rule: "G7", text: `The call ${callId} found ${before}, then ${task}.` });
    // One that joined the task of another call begins its own when that one's result reached the other caller.
    if (before === callId) named.set(callId, before);
  }
  const twins = new Map<string, FinalTask[]>();
  const isOneTask = (task: FinalTask) =>
    task.record.generation === 1 && !plan.calls.some((call) => call.newTask !== undefined && isOfCall(task, call));
  for (const task of tasks.filter(isOneTask)) {
    const key = `${task.owner} ${JSON.stringify(task.record.input)}`;
    twins.set(key, [...(twins.get(key) ?? []), task]);
  }
  const returned = new Map(eventsOf(events, "returns").map(({ task, atMs }) => [String(task), atMs]));
  const created = new Map(
    eventsOf(events, "called")
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
      if (oneCall < otherCall && otherCall < end - patience.noticeMs) {
        violations.push({
          rule: "G7",
          text: `${other.record.id} was created while ${one.record.id} of the same call was unfinished.`,
        });
      }
    }
  }
  return violations;
}

function* pairs<Value>(values: readonly Value[]): Generator<readonly [Value, Value]> {
  for (const one of values) for (const other of values) if (one !== other) yield [one, other];
}

/** G12: a task fails only for what it does itself, or for what its tool or its store declares. */
function checkContained({ plan, tasks }: Evidence): readonly Violation[] {
  return tasks.flatMap(({ record }) => {
    if (record.status !== "failed" || record.error === undefined) return [];
    const { code, message } = record.error;
    return mayFailWith(code, record.tool, operationsOf(record.input), plan)
      ? []
      : [{ rule: "G12", text: `${record.id} failed with ${code}: ${message}` }];
  });
}

function mayFailWith(code: string, name: string, operations: readonly JsonObject[], plan: Evidence["plan"]): boolean {
  const { tool, storeLimits, limits } = plan;
  const calls = operations.some(({ op }) => op === "call");
  switch (code) {
    case "CRASH_LOOP":
      return operations.some(({ op }) => op === "poison");
    case "OUTCOME_UNKNOWN":
      return name === "once" || name === "stepped";
    case "TOOL_FAILED":
      return operations.some(
        ({ op, times, fails }) =>
          op === "give_up" || (op === "fail" && Number(times) >= maxAttempts) || Number(fails) >= maxAttempts,
      );
    // What it called may fail for what the tool and the store declare.
    case "CHILD_FAILED":
      return (
        calls &&
        ["VERSION_MISMATCH", "ATTEMPT_TIMEOUT", "QUOTA_EXCEEDED"].some((why) => mayFailWith(why, name, [], plan))
      );
    case "LIMIT_EXCEEDED":
      return calls && limits.maxUnfinishedPerOwner !== undefined;
    case "VERSION_MISMATCH":
      return tool?.onVersionChange === "fail";
    case "ATTEMPT_TIMEOUT":
      return tool?.stallTimeout !== undefined;
    case "QUOTA_EXCEEDED":
      return storeLimits?.maxJournalEvents !== undefined || (calls && storeLimits?.maxStoreTasks !== undefined);
    default:
      return false;
  }
}

/** How often an operation fails before its tool makes no further attempt. */
const maxAttempts = 4;

/** G1: no caller receives anything that is not durable yet: the journal has what a follower saw. */
function checkSeen({ events, tasks }: Evidence): readonly Violation[] {
  const journals = new Map(tasks.map((task) => [task.record.id, { task, types: typesBySeq(task) }]));
  return eventsOf(events, "sees").flatMap(({ task: id, seq, type, caller }) => {
    const journal = journals.get(String(id));
    if (journal === undefined) return [];
    const { lastSeq } = journal.task.record;
    const kept = Number(seq) > lastSeq ? "no such event" : (journal.types.get(Number(seq)) ?? type);
    if (kept === type) return [];
    const text = `${String(caller)} saw event ${String(seq)} of ${String(id)}, ${String(type)}, where the journal has ${String(kept)}.`;
    return [{ rule: "G1", text }];
  });
}

function typesBySeq({ followed }: FinalTask): ReadonlyMap<number, string> {
  return new Map(followed.flatMap((each) => (each.kind === "event" ? [[each.event.seq, each.event.type]] : [])));
}

/** G5, G6: what a client of MCP is shown of one request rises; that of its next request begins where this one ended. */
function checkShown({ events }: Evidence): readonly Violation[] {
  return eventsOf(events, "mcp_progress")
    .filter(({ progress, before, isFirst }) =>
      isFirst === true ? Number(progress) < Number(before) : Number(progress) <= Number(before),
    )
    .map(({ caller, progress, before, atMs }) => ({
      rule: "G6",
      text: `${String(caller)} was shown ${String(progress)} after ${String(before)} at ${atMs} ms.`,
    }));
}

/** G7: a result that no caller got is given to the same call; only then does it begin a new task. */
function checkDelivery({ plan, events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  if (plan.limits.reuseResultMs !== undefined) return [];
  for (const call of plan.calls) {
    const callers = plan.calls.filter((other) => isSameCall(call, other));
    if (callers.length > 1 || call.newTask !== undefined) continue;
    const completed = tasks
      .filter((task) => isOfCall(task, call) && task.record.status === "completed" && task.record.generation === 1)
      .map(({ record }) => ({ id: record.id, atMs: events.find(({ task }) => task === record.id)?.atMs ?? 0 }))
      .toSorted((one, other) => one.atMs - other.atMs);
    const kind = call.via === "engine" ? "result" : "accepted";
    const got = eventsOf(events, kind).filter(({ caller, status }) => caller === call.name && status !== "failed");
    const withdrawn = eventsOf(events, "withdrawn").filter(({ caller }) => caller === call.name);
    for (const [count, { id, atMs }] of completed.entries()) {
      const isBefore = (event: HistoryEvent) => event.atMs <= atMs;
      const lost = withdrawn.filter(isBefore).map(({ acceptedMs }) => acceptedMs);
      const before = got.filter((event) => isBefore(event) && !lost.includes(event.atMs)).length;
      if (before >= count || mayHideResults(events, atMs)) continue;
      const text = `${id} was begun at ${atMs} ms by the call of ${call.name}, which had ${count} results, of which ${before} were accepted.`;
      violations.push({ rule: "G7", text });
    }
  }
  return violations;
}

/** A damaged claim does not say whose it is: a finished task is not found by its call any more. */
function mayHideResults(events: readonly HistoryEvent[], beforeMs: number): boolean {
  return eventsOf(events, "rotted").some(({ path, atMs }) => atMs <= beforeMs && String(path).includes("/keys/"));
}

function isOfCall({ owner, record }: FinalTask, call: PlannedFacts): boolean {
  return owner === call.owner && JSON.stringify(record.input) === JSON.stringify(call.input);
}

/** G7: after a failure the same call continues the task; it begins no other one. */
function checkContinues({ plan, events, tasks }: Evidence): readonly Violation[] {
  // A journal that is full takes no new generation, and what expired is not there any more.
  if (plan.tool?.onFailure === "restart" || plan.storeLimits?.maxJournalEvents !== undefined) return [];
  if (plan.limits.ttlMs !== undefined) return [];
  return plan.calls.flatMap((call) => {
    if (call.newTask !== undefined || plan.calls.some((other) => other !== call && isSameCall(call, other))) return [];
    const beginMs = ({ record }: FinalTask) => events.find(({ task }) => task === record.id)?.atMs ?? 0;
    const begun = tasks
      .filter((task) => isOfCall(task, call))
      .toSorted((one, other) => beginMs(one) - beginMs(other))
      .map(({ record }) => record);
    return begun.flatMap(({ id, status, error }, place) => {
      const next = begun[place + 1];
      if (next === undefined || status !== "failed" || error?.terminal === true) return [];
      return [{ rule: "G7", text: `${id} failed, and the same call began ${next.id}.` }];
    });
  });
}
