import { checkWaits } from "./check-waits.js";
import { type Evidence, eventsOf, type FinalTask, type Violation } from "./evidence.js";

/** The rules about calls, answers, failures and waits. */
export const callerRules: readonly ((evidence: Evidence) => readonly Violation[])[] = [
  checkSameCall,
  checkAnswers,
  checkContained,
  checkFair,
  checkSeen,
  checkShown,
  checkDelivery,
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
    named.set(callId, before);
  }
  const twins = new Map<string, FinalTask[]>();
  for (const task of tasks) {
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
      words.set(key, answer.action === "accept" ? String(answer.content.word) : undefined);
    }
  }
  const accepted = new Map<string, unknown>();
  for (const { task, key: question, word } of eventsOf(events, "answer_accepted")) {
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
  for (const { task, at, action, word } of eventsOf(events, "answered")) {
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

/** While slots are free no owner waits for others. */
function checkFair({ plan, patience, events }: Evidence): readonly Violation[] {
  const { probeMs, faultMs } = patience;
  // With fewer slots than tasks a probe may wait for one.
  if ((plan.limits.maxRunning ?? 0) < 32) return [];
  const ends = new Map(eventsOf(events, "probe_ends").map(({ probe, atMs }) => [probe, atMs]));
  const lastMs = events.at(-1)?.atMs ?? 0;
  const broken = events.filter(({ kind }) => kind === "died" || kind === "fault" || kind === "probe_fails");
  return eventsOf(events, "probe_begins").flatMap(({ probe, worker, atMs }) => {
    const endMs = ends.get(probe) ?? lastMs;
    if (endMs - atMs <= probeMs) return [];
    const isDisturbed = broken.some(
      (fault) =>
        fault.atMs > atMs - faultMs &&
        fault.atMs < Math.min(endMs, atMs + probeMs) &&
        // Another process may die without making this one late.
        (fault.kind !== "died" || fault.worker === worker),
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
  for (const { name, owner, via, input } of plan.calls) {
    const callers = plan.calls.filter((call) => call.owner === owner && sameInput(call.input, input));
    if (via === "engine" || callers.length > 1) continue;
    const completed = tasks.filter(
      ({ record, owner: tag }) =>
        tag === `client:${owner}` && record.status === "completed" && sameInput(record.input, input),
    );
    const accepted = eventsOf(events, "accepted").filter(({ caller }) => caller === name).length;
    if (completed.length > accepted + 1) {
      violations.push({
        rule: "G7",
        text: `The call of ${name} ran ${completed.length} times, and ${accepted} results were accepted.`,
      });
    }
  }
  return violations;
}

function sameInput(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
