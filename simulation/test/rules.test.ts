import { describe, expect, test } from "vitest";
import { check } from "../src/history/check.js";
import { at, attempt, begins, call, called, calm, failed, type Given, named, other, run, wall } from "./given.js";

const crashed = (ms: number) => ({ type: "attempt_ended" as const, reason: "crashed" as const, at: wall(ms) });
/** Two deaths, two minutes of silence, and another death. */
const suspected = [
  { type: "created" as const, at: wall(0) },
  crashed(1),
  crashed(2),
  { type: "attempt_started" as const, at: wall(120_000) },
  crashed(120_001),
];
const twoItems = [
  { type: "created" as const },
  { type: "attempt_started" as const, attempt: 1 },
  { type: "checkpoint" as const, progress: 1, items: [0, 1], itemBytes: 5 },
];
const counted = { lastSeq: 3, progress: 1, itemCount: 2, itemBytes: 5, attempt: 1 };
const itemRuns = (n: number, item: number) => at(n, "item_runs", { key: "m", item, width: 2, attempt: n });
const asksAndFails = (fails: number) => ({ run: "a", program: [{ op: "ask", failsAfterMs: 1, fails }] });

/** What breaks a rule, and what is close to it and does not. */
const stories: readonly (readonly [rule: string, title: string, broken: Given, held: Given])[] = [
  ["liveness", "a task that never ends", { record: { status: "running" } }, {}],
  [
    "liveness",
    "a task that is silent for a minute after the last fault",
    {
      events: [calm],
      journal: [
        { type: "created", at: wall(0) },
        { type: "attempt_started", at: wall(120_000) },
      ],
    },
    {
      events: [calm],
      journal: [
        { type: "created", at: wall(0) },
        { type: "sleep", until: wall(115_000), at: wall(1_000) },
        { type: "checkpoint", at: wall(120_000) },
      ],
    },
  ],
  [
    "liveness",
    "a task that is silent for longer than the trials of suspects take",
    { events: [calm], journal: suspected, plan: { limits: { maxRunning: 32, trialMs: 1_000 } } },
    {
      events: [calm],
      journal: suspected,
      plan: {
        limits: { maxRunning: 32, trialMs: 1_000 },
        calls: [{ ...call, input: { run: "a", program: [{ op: "poison" }] } }],
      },
    },
  ],
  [
    "liveness",
    "a task that is silent though its maker lived",
    {
      events: [calm, at(2, "half_made", { half: "u" })],
      journal: [
        { type: "created", at: wall(0) },
        { type: "attempt_started", at: wall(120_000) },
      ],
    },
    {
      events: [calm, at(2, "half_made", { half: "t" })],
      journal: [
        { type: "created", at: wall(0) },
        { type: "attempt_started", at: wall(120_000) },
      ],
    },
  ],
  [
    "G2",
    "an earlier version that runs what a later one ran",
    {
      journal: [
        { type: "attempt_started", toolVersion: "2" },
        { type: "attempt_started", toolVersion: "1" },
      ],
    },
    {
      journal: [
        { type: "attempt_started", toolVersion: "1" },
        { type: "attempt_started", toolVersion: "2" },
        { type: "attempt_started", toolVersion: "2" },
      ],
    },
  ],
  [
    "G1",
    "an acknowledged task that does not exist",
    { events: [{ ...called, task: "other", created: false }] },
    { events: [called, attempt(1)] },
  ],
  [
    "G9",
    "a task that says it needs an answer, and asks nothing",
    { events: [at(9, "misread", { status: "input_required", questions: 0 })] },
    {},
  ],
  [
    "G3",
    "a record that counts other items than its journal",
    { journal: twoItems, record: { ...counted, itemCount: 1 } },
    { journal: twoItems, record: counted },
  ],
  [
    "G1",
    "an artifact that is another one at the end",
    { events: [at(9, "artifact_differs", { key: "a", found: "b" })] },
    {},
  ],
  [
    "G1",
    "an acknowledged task that does not exist, whose tool may have stalled, but finished tasks do not expire",
    {
      events: [{ ...called, task: "other" }, attempt(2, { task: "other" })],
      plan: { tool: { stallTimeout: 3_000 } },
    },
    {
      events: [{ ...called, task: "other" }, attempt(2, { task: "other" })],
      plan: { tool: { stallTimeout: 3_000 }, limits: { maxRunning: 32, ttlMs: 3_000 } },
    },
  ],
  [
    "G1",
    "an acknowledged task that does not exist, whose tool was cut off and may run again",
    {
      events: [{ ...called, task: "other" }, attempt(1, { task: "other", tool: "again" })],
      plan: { limits: { maxRunning: 32, ttlMs: 3_000 } },
    },
    {
      events: [{ ...called, task: "other" }, attempt(1, { task: "other", tool: "once" })],
      plan: { limits: { maxRunning: 32, ttlMs: 3_000 } },
    },
  ],
  [
    "G1",
    "an acknowledged task that does not exist, whose call is of a tool that may run again",
    {
      events: [{ ...called, task: "other" }, attempt(1, { task: "other" })],
      plan: { limits: { maxRunning: 32, ttlMs: 3_000 }, calls: [{ ...call, tool: "again" }] },
    },
    {
      events: [{ ...called, task: "other" }, attempt(1, { task: "other" })],
      plan: { limits: { maxRunning: 32, ttlMs: 3_000 }, calls: [{ ...call, tool: "once" }] },
    },
  ],
  [
    "G1",
    "a checkpoint that was forgotten",
    { events: [at(1, "committed", { at: 3, attempt: 1, items: 4 })] },
    { events: [at(1, "committed", { at: 2, attempt: 1, items: 3 })] },
  ],
  [
    "G1",
    "a result that is another one later",
    { events: [at(1, "result", { status: "completed" })], record: { status: "cancelled" } },
    { events: [at(1, "result", { status: "completed" })] },
  ],
  [
    "G1",
    "a result over MCP of a task that did not complete with it",
    {
      events: [at(1, "mcp_result", { caller: "c", isWhole: true, done: 2 })],
      record: { output: { done: 1 } },
    },
    {
      events: [at(1, "mcp_result", { caller: "c", isWhole: true, done: 1 })],
      record: { output: { done: 1 } },
    },
  ],
  [
    "G7",
    "a task that is not found by its id after a handoff",
    { events: [at(1, "mcp_result", { caller: "c", waits: true, code: "TASK_NOT_FOUND" })] },
    { events: [at(1, "mcp_result", { caller: "c", waits: true, code: "TOOL_FAILED" })] },
  ],
  [
    "G2",
    "a tool without checkpoints that runs again after it was cut off",
    { events: [attempt(1, { tool: "once" }), attempt(2, { tool: "once" })], record: { tool: "once" } },
    {
      events: [
        attempt(1, { tool: "once" }),
        at(111.5, "leaves", { attempt: 1, worker: "p" }),
        attempt(2, { tool: "once" }),
      ],
      record: { tool: "once" },
    },
  ],
  [
    "G12",
    "an unknown outcome of a tool that may run again",
    { record: { ...failed("OUTCOME_UNKNOWN"), tool: "again" } },
    { record: { ...failed("OUTCOME_UNKNOWN"), tool: "once" } },
  ],
  [
    "G2",
    "a checkpoint that is begun again",
    { events: [at(1, "committed", { at: 0, attempt: 1, items: 1 }), begins(2, { attempt: 2 })] },
    { events: [at(1, "committed", { at: 0, attempt: 1, items: 1 }), begins(2, { attempt: 2, at: 1 })] },
  ],
  [
    "G2",
    "a step with another value",
    {
      events: [
        at(1, "step_done", { key: "s", attempt: 1, value: 1 }),
        at(2, "step_done", { key: "s", attempt: 2, value: 2 }),
      ],
    },
    {
      events: [
        at(1, "step_done", { key: "s", attempt: 1, value: 1 }),
        at(2, "step_done", { key: "s", attempt: 2, value: 1 }),
      ],
    },
  ],
  [
    "G2",
    "an item of a map that is begun again though it must have been committed",
    { events: [itemRuns(1, 4), itemRuns(2, 2)] },
    { events: [itemRuns(1, 4), itemRuns(2, 3)] },
  ],
  [
    "G3",
    "state and items of different checkpoints",
    { events: [attempt(1, { stateItems: 2, items: 3 })] },
    { events: [attempt(1, { stateItems: 3, items: 3 })] },
  ],
  [
    "G3",
    "a state that is only half there",
    { events: [attempt(1, { whole: false })] },
    { events: [attempt(1, { whole: true })] },
  ],
  ["G3", "items in another order", { items: [1, 0] }, { items: [0, 1] }],
  [
    "G4",
    "a commit that another attempt wrote",
    {
      events: [at(1, "committed", { at: 0, attempt: 1, items: 1 })],
      journal: [
        { type: "attempt_started", attempt: 2 },
        { type: "checkpoint", items: [0] },
      ],
    },
    {
      events: [at(1, "committed", { at: 0, attempt: 2, items: 1 })],
      journal: [
        { type: "attempt_started", attempt: 2 },
        { type: "checkpoint", items: [0] },
      ],
    },
  ],
  [
    "G4",
    "items that another attempt wrote, where the first commit of an attempt adds none",
    {
      events: [attempt(2, { items: 1, stateItems: 1 }), at(200, "committed", { at: 1, attempt: 2, items: 2 })],
      journal: [
        { type: "attempt_started", attempt: 1 },
        { type: "checkpoint", items: [0, 1] },
      ],
    },
    {
      events: [attempt(2, { items: 2, stateItems: 2 }), at(200, "committed", { at: 1, attempt: 2, items: 2 })],
      journal: [
        { type: "attempt_started", attempt: 1 },
        { type: "checkpoint", items: [0, 1] },
      ],
    },
  ],
  [
    "G5",
    "an event that was left out",
    {
      events: [
        at(1, "sees", { caller: "c", seq: 1, type: "created" }),
        at(2, "sees", { caller: "c", seq: 3, type: "log" }),
      ],
    },
    { events: [at(1, "sees", { caller: "c", seq: 1, type: "created" })] },
  ],
  [
    "G6",
    "progress that is shown again, and not as the first of a further request",
    { events: [at(1, "mcp_progress", { caller: "c", progress: 2, before: 2, snapshot: true })] },
    { events: [at(1, "mcp_progress", { caller: "c", progress: 2, before: 2, snapshot: true, isFirst: true })] },
  ],
  [
    "G12",
    "a task that fails, whose tool fails in fewer attempts than it has",
    { record: { ...failed("TOOL_FAILED"), input: asksAndFails(3) } },
    { record: { ...failed("TOOL_FAILED"), input: asksAndFails(4) } },
  ],
  [
    "G6",
    "progress that goes back",
    {
      journal: [
        { type: "checkpoint", progress: 2 },
        { type: "checkpoint", progress: 1 },
      ],
    },
    { journal: [{ type: "checkpoint", progress: 2 }, { type: "restarted" }, { type: "checkpoint", progress: 1 }] },
  ],
  [
    "G7",
    "a call with an id that finds another task",
    {
      events: [
        { ...called, task: "id" },
        { ...called, atMs: 200 },
      ].map(named),
      plan: { calls: [{ ...call, callId: "id" }] },
      others: [other("id")],
    },
    {
      events: [
        { ...called, task: "id" },
        { ...called, atMs: 200, task: "id" },
      ].map(named),
      plan: { calls: [{ ...call, callId: "id" }] },
      others: [other("id")],
    },
  ],
  [
    "G7",
    "a call that runs again though no caller has its result",
    { others: [other("u", { input: call.input })] },
    { others: [other("u", { input: call.input })], events: [at(1, "result", { caller: "c", status: "completed" })] },
  ],
  [
    "G7",
    "a call that runs again though its claim is whole",
    { others: [other("u", { input: call.input })], events: [at(0, "rotted", { path: "/store/owners/a/1" })] },
    { others: [other("u", { input: call.input })], events: [at(0, "rotted", { path: "/store/keys/a/1" })] },
  ],
];

describe("the rules about tasks", () => {
  test.each(stories)("%s finds %s", (rule, _, broken, held) => {
    const rulesOf = (given: Given) => [...new Set(check(run(given)).map((violation) => violation.rule))];
    expect([rulesOf(broken), rulesOf(held)]).toEqual([[rule], []]);
  });
});
