import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import type { Evidence, HistoryEvent } from "@resumable-mcp/simulation/history";
import { expect, test } from "vitest";
import { countedCall, stormTool } from "../storm/storm-tools.js";
import { problemsOf, StormHistory } from "./storm-history.js";

const call = countedCall("one", "an-owner", { records: 12, batch: 4 });

/** The evidence of one run that a caller followed to its end, without a storm. */
async function evidenceOfOneRun(): Promise<Evidence> {
  const history = new StormHistory();
  const store = createMemoryStore();
  const engine = createEngine({ store, tools: [stormTool((kind, facts) => history.add(kind, facts))] });
  const tasks = engine.forOwner("client:one");
  const { record } = await tasks.start({ tool: "storm_count", input: call.input });
  const facts = { caller: "one", task: record.id };
  history.add("called", facts);
  const { record: final } = await tasks.wait(record.id);
  for (const progress of [4, 8, 12]) history.add("mcp_progress", { ...facts, before: progress - 4, progress });
  history.add("result", { ...facts, status: final.status, shown: 12, items: 12, output: JSON.stringify(final.output) });
  history.add("ended", { all: true });
  const evidence = await history.evidence(store, { calls: [call], maxRunning: 32 });
  await engine.close();
  return evidence;
}

/** With other facts in one event. */
function tampered(
  evidence: Evidence,
  isMeant: (event: HistoryEvent) => boolean,
  facts: Partial<HistoryEvent>,
): Evidence {
  const index = evidence.events.findIndex(isMeant);
  const event = evidence.events[index];
  if (event === undefined) throw new Error("The event was not found.");
  return { ...evidence, events: evidence.events.with(index, { ...event, ...facts }) };
}

test("a run without a defect breaks no rule", async () => {
  expect(problemsOf(await evidenceOfOneRun())).toEqual([]);
});

test.each<[rule: string, kind: string, at: Partial<HistoryEvent>, facts: Partial<HistoryEvent>]>([
  ["G1", "called", {}, { task: "another" }],
  ["G1", "committed", { at: 11 }, { at: 12 }],
  ["G2", "begins", { at: 11 }, { at: 3 }],
  ["G2", "result", {}, { output: "{}" }],
  ["G2", "result", {}, { items: 11 }],
  ["G3", "attempt", {}, { items: 4 }],
  ["G4", "committed", { at: 7 }, { attempt: 2 }],
  ["G5", "mcp_progress", { progress: 12 }, { before: 4 }],
  ["G5", "result", {}, { shown: 8 }],
  ["G6", "mcp_progress", { progress: 8 }, { progress: 4 }],
  ["liveness", "ended", {}, { all: false }],
])("%s is found broken by one changed event: %s %j with %j", async (rule, kind, at, facts) => {
  const isMeant = (event: HistoryEvent) =>
    event.kind === kind && Object.entries(at).every(([name, value]) => event[name] === value);
  const problems = problemsOf(tampered(await evidenceOfOneRun(), isMeant, facts));
  expect(new Set(problems.map((problem) => problem.split(":")[0]))).toEqual(new Set([rule]));
});

test("a process that slept through its lease may begin its task again: a storm does not note how attempts end (G8)", async () => {
  const history = new StormHistory();
  const attempt = { kind: "attempt", task: "t", at: 0, items: 0 };
  history.hear("p1", { ...attempt, atMs: 1, attempt: 1 });
  history.hear("p1", { ...attempt, atMs: 3_000, attempt: 2 });
  history.add("ended", { all: true });
  const evidence = await history.evidence(createMemoryStore(), { calls: [], maxRunning: 32 });
  expect(problemsOf(evidence)).toEqual([]);
});
