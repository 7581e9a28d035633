import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import type { HistoryEvent } from "@resumable-mcp/simulation/history";
import { expect, test } from "vitest";
import { finalTask, StormHistory } from "../kills/storm-history.js";
import { jobCall, jobTool, jobToolName } from "./job.js";
import { judgeReplicas } from "./judge-replicas.js";

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

const event = (kind: string, facts: object): HistoryEvent => ({ atMs: performance.now(), kind, ...facts });

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
])("%s is found", async (_, found, tamper) => {
  const facts = await factsOfOneRun();
  const changed = { ...facts, ...tamper(facts, facts.tasks[0]?.record.id ?? "") };
  expect(judgeReplicas(changed).join("\n")).toMatch(found);
});
