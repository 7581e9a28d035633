import { createEngine, createMemoryStore, type Store } from "@resumable-mcp/core";
import { childrenOf } from "@resumable-mcp/core/store";
import type { HistoryEvent } from "@resumable-mcp/simulation/history";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { finalTask, StormHistory } from "../kills/storm-history.js";
import { wrongArtifacts } from "./damage-of.js";
import { type Job, jobCall, jobToolName, jobTools } from "./job.js";
import { describe, judge, type StormFacts } from "./judge.js";
import { runningAtOnce } from "./replica.js";

const history = new StormHistory();
const store = createMemoryStore();
const note = (kind: string, more: object) => history.hear("p1", { atMs: performance.now(), kind, ...more });
const engine = createEngine({ store, tools: jobTools(note) });

/** A run with all that a job does, and its result. */
let facts: StormFacts;
beforeAll(async () => {
  facts = await factsOfOneRun();
});
afterAll(() => engine.close());

async function factsOfOneRun(): Promise<StormFacts> {
  const tasks = engine.forOwner("client:one");
  const operations: readonly Job["program"][number]["op"][] = [
    "work",
    "step",
    "sleep",
    "ask",
    "flaky",
    "map",
    "artifact",
    "call",
  ];
  const input = { run: "host-0-0", program: operations.map((op) => ({ op, ms: 1 })) };
  const call = jobCall(input, "client:one");
  note("client_calls", { caller: call.name });
  const { record } = await tasks.start({ tool: jobToolName, input });
  const ofCall = { caller: call.name, task: record.id };
  note("called", ofCall);
  await vi.waitFor(async () => expect((await tasks.get(record.id)).status).toBe("input_required"));
  const word = `${call.name}/3`;
  await tasks.answer(record.id, "ask-3", { action: "accept", content: { word } });
  note("answer_accepted", { ...ofCall, key: "ask-3", word });
  const { record: final } = await tasks.wait(record.id);
  note("client_result", { ...ofCall, status: final.status });
  history.add("ended", { all: true });
  const ids = [record.id, ...childrenOf(final).map(({ child }) => child)];
  const found = await Promise.all(ids.map((id) => finalTask(store, id)));
  return {
    stored: { tasks: found.flatMap((task) => task ?? []), problems: [], lines: [] },
    calls: [call],
    open: [],
    events: history.inOrder(),
    limits: runningAtOnce,
  };
}

test("a run without a defect breaks no rule", () => {
  expect(judge(facts)).toEqual([]);
  expect(describe(facts)).toContain("1 tasks were called, 1 artifacts kept");
});

test("an artifact with a chunk less, or with another byte, is found", async () => {
  const [task] = facts.stored.tasks;
  if (task === undefined) throw new Error("The task was not found.");
  const read = (readChunk: Store["readChunk"]) => wrongArtifacts({ ...store, readChunk }, task.record);
  const problem = `G1: The artifact artifact-6 of ${task.record.id} has other bytes.`;
  expect(await read(store.readChunk)).toEqual([]);
  expect(
    await read(async (...[id, name, index]) => (index < 2 ? store.readChunk(id, name, index) : undefined)),
  ).toEqual([problem]);
  expect(await read(async (...given) => (await store.readChunk(...given))?.map((byte) => byte ^ 1))).toEqual([problem]);
});

test("a task that a late request of a dead client began has no caller, and may wait for one", () => {
  const [first] = facts.stored.tasks;
  if (first === undefined) throw new Error("The task was not found.");
  const waiting = (createdAt: string): StormFacts => {
    const record = { ...first.record, id: "late", status: "paused" as const, createdAt };
    const tasks = [first, { ...first, items: [], followed: [], record }];
    const died = [
      event("client_dies", { caller: "host-0-0" }),
      event("accepted", { caller: "host-0-0", task: first.record.id }),
    ];
    return { ...facts, stored: { ...facts.stored, tasks }, events: [...died, ...facts.events] };
  };
  const problems = (createdAt: string) => judge(waiting(createdAt)).filter((problem) => problem.startsWith("liveness"));
  expect(problems(new Date(Date.now() + 60_000).toISOString())).toEqual([]);
  expect(problems(first.record.createdAt)).toEqual(["liveness: late is paused at the end."]);
});

test("the report says how often the slots of a replica were taken", () => {
  const lines = (more: readonly HistoryEvent[]) =>
    describe({ ...facts, events: [...facts.events, ...more] }).join("\n");
  expect(lines([])).toContain("0 times a replica ran the 3 tasks that it may run");
  expect(lines(workOn(tasksNamed(3)))).toContain("1 times a replica ran the 3 tasks that it may run");
});

/** With other facts in one event. */
function changed(kind: string, meant: Partial<HistoryEvent>, other: Partial<HistoryEvent>) {
  return ({ events }: StormFacts): Partial<StormFacts> => {
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

/** With more tasks of the same call. */
const withTasks = (stored: StormFacts["stored"], ids: readonly string[]): Pick<StormFacts, "stored"> => ({
  stored: {
    ...stored,
    tasks: stored.tasks.flatMap((task) => [task, ...ids.map((id) => ({ ...task, record: { ...task.record, id } }))]),
  },
});

/** With a result that a client noted. */
const received =
  (facts: object) =>
  ({ events }: StormFacts, task: string): Partial<StormFacts> => {
    const right = { status: "completed", shown: 13, items: 13, output: '{"done":8}' };
    return { events: [...events, event("result", { caller: "host-0-0", task, ...right, ...facts })] };
  };

test.each<[defect: string, found: RegExp, tamper: (facts: StormFacts, task: string) => Partial<StormFacts>]>([
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
      events: [...events, event("attempt", { task, attempt: 1, at: 8, items: 8, worker: "p2" })],
    }),
  ],
  [
    "what is wrong in the store",
    /event 5 follows 3/,
    ({ stored }) => ({ stored: { ...stored, problems: ["t: event 5 follows 3"] } }),
  ],
  [
    "a lost task",
    /G1: \S+, which was acknowledged .* does not exist/,
    ({ stored }) => ({ stored: { ...stored, tasks: [] } }),
  ],
  [
    "an answer that was accepted and is not there",
    /G9: The answer another to ask-3/,
    ({ events }, task) => ({ events: [...events, event("answer_accepted", { task, key: "ask-3", word: "another" })] }),
  ],
  ["a second task of the call", /G7: \S+ was begun at/, ({ stored }) => withTasks(stored, ["second"])],
  [
    "a checkpoint that was acknowledged and is not there",
    /G1: The checkpoint 8 of/,
    changed("committed", { at: 7 }, { at: 8, items: 14 }),
  ],
  ["a checkpoint that is done again", /G2: The checkpoint 1 of/, changed("begins", { at: 3 }, { at: 1 })],
  [
    "a step with two values",
    /G2: The step step-1 of \S+ gave \S+, and then another/,
    ({ events }, task) => ({
      events: [...events, event("step_done", { task, attempt: 9, key: "step-1", value: "another" })],
    }),
  ],
  [
    "a step that was done and is not in its task",
    /G1: step-1 of \S+ was done, and is not in its task/,
    ({ stored: { tasks, ...rest } }) => ({
      stored: { ...rest, tasks: tasks.map((task) => ({ ...task, record: { ...task.record, remembered: {} } })) },
    }),
  ],
  [
    "a failed attempt of a step that is made again after the next",
    /G2: Attempt 1 of flaky-4 of \S+ was made again/,
    ({ events }, task) => ({
      events: [...events, event("step_runs", { task, attempt: 9, key: "flaky-4", tries: 1 })],
    }),
  ],
  [
    "an item of a map that is begun again",
    /G2: Item 0 of map-5 of \S+ was begun again/,
    ({ events }, task) => ({
      events: [...events, event("item_runs", { task, attempt: 9, key: "map-5", item: 0, width: 3 })],
    }),
  ],
  [
    "an artifact that is made again",
    /G2: The step artifact-6 of \S+ was committed/,
    ({ events }, task) => ({ events: [...events, event("step_runs", { task, attempt: 9, key: "artifact-6" })] }),
  ],
  [
    "a call that gives another output than its task has",
    /G2: \S+ received \{\} of \S+, whose steps gave/,
    changed("step_done", { key: "call-7" }, { value: "{}" }),
  ],
  ["a result of another output", /G2: /, received({ output: "{}" })],
  ["a result with other items", /G2: /, received({ items: 3 })],
  ["a result that comes before all progress", /G5: /, received({ shown: 12 })],
  [
    "progress that misses a part",
    /G5: /,
    ({ events }, task) => ({
      events: [...events, event("mcp_progress", { caller: "host-0-0", task, progress: 4, before: 1 })],
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
    "an attempt that is not left before the next one (G8)",
    /G8: Attempt 1 of \S+ in p1 was never left/,
    ({ events }, task) => ({
      events: [
        ...events.filter(({ kind }) => kind !== "leaves"),
        event("leaves", { task: "other", attempt: 1, worker: "p1" }),
        event("attempt", { task, attempt: 2, at: 4, items: 4, worker: "p1" }),
      ],
    }),
  ],
  [
    "a replica that runs more than it has slots",
    /G11: p1 ran 4 tasks/,
    ({ events }) => ({ events: [...events, ...workOn(tasksNamed(4))] }),
  ],
  [
    "a replica that runs more than one owner may have",
    /G11: p1 ran 3 tasks of client:one/,
    ({ events, stored }) => ({ events: [...events, ...workOn(tasksNamed(3))], ...withTasks(stored, tasksNamed(3)) }),
  ],
])("%s is found", (_, found, tamper) => {
  const tampered = { ...facts, ...tamper(facts, facts.stored.tasks[0]?.record.id ?? "") };
  expect(judge(tampered).join("\n")).toMatch(found);
});
