import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import type { HistoryEvent } from "@resumable-mcp/simulation/history";
import { expect, test } from "vitest";
import { finalTask, StormHistory } from "../kills/storm-history.js";
import { jobCall, jobTool, jobToolName } from "./job.js";
import { describeReplicas, judgeReplicas } from "./judge-replicas.js";

type Facts = Parameters<typeof judgeReplicas>[0];

/** A run with all that a job does, and its result. */
async function factsOfOneRun(): Promise<Facts> {
  const history = new StormHistory();
  const store = createMemoryStore();
  const note = (kind: string, facts: object) => history.hear("p1", { atMs: performance.now(), kind, ...facts });
  const engine = createEngine({ store, tools: [jobTool(note)] });
  const tasks = engine.forOwner("client:one");
  const call = jobCall("host-0-0", "client:one", 0);
  const program = ["work", "step", "sleep", "ask"].map((op) => ({ op, ms: 1 }));
  const input = { run: call.name, program };
  note("client_calls", { caller: call.name });
  const { record } = await tasks.start({ tool: jobToolName, input });
  const ofCall = { caller: call.name, task: record.id };
  note("called", ofCall);
  await expect.poll(async () => (await tasks.get(record.id)).status).toBe("input_required");
  const word = `${call.name}/3`;
  await tasks.answer(record.id, "ask-3", { action: "accept", content: { word } });
  note("answer_accepted", { ...ofCall, key: "ask-3", word });
  const { record: final } = await tasks.wait(record.id);
  note("client_result", { ...ofCall, status: final.status });
  history.add("ended", { all: true });
  const task = await finalTask(store, record.id);
  if (task === undefined) throw new Error("The task was not found.");
  const rows = task.followed.flatMap((each) =>
    each.kind === "event" ? [{ epoch: 1, lastSeq: each.event.seq, events: [each.event] }] : [],
  );
  await engine.close();
  return {
    journals: new Map([[record.id, rows]]),
    tasks: [task],
    calls: [{ ...call, input, expects: { output: { done: 4 }, items: 4 } }],
    open: [],
    events: history.inOrder(),
  };
}

test("a run without a defect breaks no rule", async () => {
  expect(judgeReplicas(await factsOfOneRun())).toEqual([]);
});

test("the report says how often the slots of a replica were taken", async () => {
  const { events, tasks } = await factsOfOneRun();
  const lines = (more: readonly HistoryEvent[]) => describeReplicas([...events, ...more], tasks).join("\n");
  expect(lines([])).toContain("0 times a replica ran the 3 tasks that it may run");
  expect(lines(workOn(tasksNamed(3)))).toContain("1 times a replica ran the 3 tasks that it may run");
});

/** With other facts in one event. */
function changed(kind: string, meant: Partial<HistoryEvent>, other: Partial<HistoryEvent>) {
  return ({ events }: Facts): Partial<Facts> => {
    const isMeant = (each: HistoryEvent) =>
      each.kind === kind && Object.entries(meant).every(([name, value]) => each[name] === value);
    const index = events.findIndex(isMeant);
    const found = events[index];
    if (found === undefined) throw new Error("The event was not found.");
    return { events: events.with(index, { ...found, ...other }) };
  };
}

const event = (kind: string, facts: object): HistoryEvent => ({ atMs: performance.now(), kind, ...facts });

const tasksNamed = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const workOn = (tasks: readonly string[]) =>
  tasks.map((task) => event("begins", { task, attempt: 1, at: 0, op: "work", worker: "p1" }));

test.each<[defect: string, found: RegExp, tamper: (facts: Facts, task: string) => Partial<Facts>]>([
  ["a call without a result", /host-0-0 has no result/, () => ({ open: ["host-0-0"] })],
  [
    "a result of a failed task",
    /host-0-0 has failed \(TOOL_FAILED\)/,
    ({ events }, task) => {
      const facts = { caller: "host-0-0", task, status: "failed", code: "TOOL_FAILED" };
      return { events: [...events, event("client_result", facts)] };
    },
  ],
  ["a task that belongs to no call", /belongs to no call/, () => ({ calls: [] })],
  [
    "an attempt in two processes",
    /attempt 1 of \S+ began in p1 and in p2/,
    ({ events }, task) => ({
      events: [...events, event("attempt", { task, attempt: 1, at: 4, items: 4, worker: "p2" })],
    }),
  ],
  [
    "a lost commit",
    /event \d+ follows \d+/,
    ({ journals }, task) => ({ journals: new Map([[task, (journals.get(task) ?? []).toSpliced(3, 1)]]) }),
  ],
  ["a lost task", /G1: \S+, which was acknowledged .* does not exist/, () => ({ tasks: [] })],
  [
    "an answer that was accepted and is not there",
    /G9: The answer another to ask-3/,
    ({ events }, task) => ({ events: [...events, event("answer_accepted", { task, key: "ask-3", word: "another" })] }),
  ],
  [
    "a second task of the call",
    /G7: \S+ was begun at/,
    ({ tasks }) => ({ tasks: tasks.flatMap((task) => [task, { ...task, record: { ...task.record, id: "second" } }]) }),
  ],
  [
    "a checkpoint that was acknowledged and is not there",
    /G1: The checkpoint 4 of/,
    changed("committed", { at: 3 }, { at: 4 }),
  ],
  ["a checkpoint that is done again", /G2: The checkpoint 1 of/, changed("begins", { at: 3 }, { at: 1 })],
  [
    "a step with two values",
    /G2: The step step-1 of \S+ gave \S+, and then another/,
    ({ events }, task) => ({
      events: [...events, event("step_done", { task, attempt: 2, key: "step-1", value: "another" })],
    }),
  ],
  ["an attempt that finds more items than its state says", /G3: Attempt 1/, changed("attempt", {}, { items: 2 })],
  ["a commit of another attempt", /G4: Attempt 2/, changed("committed", { at: 2 }, { attempt: 2 })],
  [
    "an event that is shown again",
    /G5: host-0-0 was shown event 3 after 4/,
    ({ events }, task) => {
      const ofCall = { caller: "host-0-0", task };
      const shown = [4, 3].map((seq) => event("client_shows", { ...ofCall, seq, progress: 1 }));
      return { events: [...events, event("client_called", ofCall), ...shown] };
    },
  ],
  [
    "progress that does not rise",
    /G6: host-0-0 was shown 2 after 2/,
    ({ events }, task) => ({
      events: [...events, event("mcp_progress", { caller: "host-0-0", task, progress: 2, before: 2 })],
    }),
  ],
  ["a run that does not end", /liveness: It was not seen/, changed("ended", {}, { all: false })],
  [
    "a replica that runs more than it has slots",
    /G11: p1 ran 4 tasks/,
    ({ events }) => ({ events: [...events, ...workOn(tasksNamed(4))] }),
  ],
  [
    "a replica that runs more than one owner may have",
    /G11: p1 ran 3 tasks of client:one/,
    ({ events, tasks }) => ({
      events: [...events, ...workOn(tasksNamed(3))],
      tasks: tasks.flatMap((task) => [
        task,
        ...tasksNamed(3).map((id) => ({ ...task, record: { ...task.record, id } })),
      ]),
    }),
  ],
])("%s is found", async (_, found, tamper) => {
  const facts = await factsOfOneRun();
  const tampered = { ...facts, ...tamper(facts, facts.tasks[0]?.record.id ?? "") };
  expect(judgeReplicas(tampered).join("\n")).toMatch(found);
});
