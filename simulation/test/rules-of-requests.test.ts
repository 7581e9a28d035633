import { describe, expect, test } from "vitest";
import { check } from "../src/history/check.js";
import {
  at,
  attempt,
  begins,
  call,
  called,
  failed,
  type Given,
  listedFour,
  missing,
  other,
  owner,
  requested,
  run,
} from "./given.js";

/** What breaks a rule, and what is close to it and does not. */
const stories: readonly (readonly [rule: string, title: string, broken: Given, held: Given])[] = [
  ["liveness", "a task that never ends", { record: { status: "running" } }, {}],
  [
    "G8",
    "a cancelled task that begins something",
    { events: [...requested("cancel"), begins(30_000)] },
    { events: [...requested("cancel"), begins(21_000)] },
  ],
  [
    "G8",
    "a paused task that begins something",
    { events: [...requested("pause"), begins(30_000)] },
    { events: [...requested("pause"), at(25_000, "requests", { what: "resume" }), begins(30_000)] },
  ],
  [
    "G8",
    "a pause that is forgotten in a crash",
    { events: [...requested("pause"), at(20_020, "died"), begins(90_000)] },
    { events: [...requested("pause"), at(20_020, "died"), begins(30_000)] },
  ],
  [
    "G8",
    "an attempt whose finally block never ran",
    { events: [at(1, "leaves", { worker: "q" }), attempt(1), attempt(2)] },
    { events: [attempt(1), at(111, "leaves", { worker: "p" }), attempt(2)] },
  ],
  [
    "G8",
    "a request that is refused without a reason",
    { events: [at(1, "request_refused", { what: "cancel", code: "INVALID_VALUE" })] },
    { events: [at(1, "request_refused", { what: "cancel", code: "ILLEGAL_TRANSITION" })] },
  ],
  [
    "G9",
    "a question with two answers",
    {
      journal: [1, 2].map((n) => ({
        type: "answered",
        key: "ask-0",
        answer: { action: "accept", content: { word: `w${n}` } },
      })),
    },
    {
      journal: [1].map((n) => ({
        type: "answered",
        key: "ask-0",
        answer: { action: "accept", content: { word: `w${n}` } },
      })),
    },
  ],
  [
    "G9",
    "an accepted answer that was lost",
    { events: [at(1, "answer_accepted", { key: "ask-0", word: "w" })] },
    {
      events: [at(1, "answer_accepted", { key: "ask-0", word: "w" })],
      journal: [{ type: "answered", key: "ask-0", answer: { action: "accept", content: { word: "w" } } }],
    },
  ],
  [
    "G10",
    "a call that gets the task of another owner",
    { events: [{ ...called, recordOwner: "client:x" }, attempt(1)] },
    { events: [{ ...called, recordOwner: owner }, attempt(1)] },
  ],
  [
    "G10",
    "a list with the task of another owner",
    { events: [at(1, "listed", { owner: "client:x", tasks: "t", unfinished: 0 })] },
    { events: [at(1, "listed", { owner, tasks: "t", unfinished: 0 })] },
  ],
  [
    "G10",
    "a request that another owner may make",
    { events: [at(1, "trespasses", { owner: "client:x", method: "get", foreign: "it was done", unknown: missing })] },
    { events: [at(1, "trespasses", { owner: "client:x", method: "get", foreign: missing, unknown: missing })] },
  ],
  [
    "G10",
    "an error that tells that a task exists",
    {
      events: [at(1, "trespasses", { method: "get", foreign: "ILLEGAL_TRANSITION: It is paused.", unknown: missing })],
    },
    { events: [at(1, "trespasses", { method: "get", foreign: "LOST", unknown: missing })] },
  ],
  [
    "G10",
    "an answer over MCP that tells that a task exists",
    { events: [at(1, "intrudes", { method: "get_task of 2025", foreign: "200 paused", unknown: "200 not found" })] },
    { events: [at(1, "intrudes", { method: "get_task of 2025", foreign: "200 not found", unknown: "200 not found" })] },
  ],
  [
    "G11",
    "an owner with too many unfinished tasks",
    { events: [at(0, "started"), listedFour], plan: { limits: { maxUnfinishedPerOwner: 3 } } },
    { events: [at(0, "started"), listedFour], plan: { limits: { maxUnfinishedPerOwner: 4 } } },
  ],
  [
    "G11",
    "a process that runs too many tasks",
    { events: [begins(1), begins(2, { task: "u" })], plan: { limits: { maxRunning: 1 } } },
    {
      events: [begins(1), at(2, "leaves", { attempt: 1 }), begins(3, { task: "u" })],
      plan: { limits: { maxRunning: 1 } },
    },
  ],
  [
    "G11",
    "an owner who runs too many tasks",
    {
      events: [begins(1), begins(2, { task: "u" })],
      others: [other("u")],
      plan: { limits: { maxRunningPerOwner: 1 } },
    },
    {
      events: [begins(1), begins(2, { task: "u" })],
      others: [other("u", { owner: "client:x" }, "client:x")],
      plan: { limits: { maxRunningPerOwner: 1 } },
    },
  ],
  [
    "G11",
    "more tasks of a tool than may run in all processes",
    {
      events: [attempt(1), attempt(1, { task: "u", worker: "q" })],
      plan: { tool: { maxRunningInStore: 1 } },
    },
    {
      events: [attempt(1), at(112, "died", { worker: "p" }), attempt(1, { task: "u", worker: "q" })],
      plan: { tool: { maxRunningInStore: 1 } },
    },
  ],
  [
    "G11",
    "more tasks of a tool than may begin within a time",
    {
      events: [attempt(1), attempt(2, { task: "v" }), attempt(1, { task: "u", worker: "q" })],
      plan: { tool: { rate: { limit: 1, per: 6_000 } } },
    },
    {
      events: [attempt(1), attempt(2, { task: "v" }), { ...attempt(1, { task: "u" }), atMs: 6_111 }],
      plan: { tool: { rate: { limit: 1, per: 6_000 } } },
    },
  ],
  [
    "G11",
    "an owner with more unfinished tasks than all processes together may make",
    {
      events: [at(1, "started"), at(2, "started"), at(3, "listed", { owner: "client:a", unfinished: 2 })],
      plan: { limits: { maxUnfinishedPerOwner: 1 } },
    },
    {
      events: [at(1, "power_lost"), at(2, "listed", { owner: "client:a", unfinished: 2 })],
      plan: { limits: { maxUnfinishedPerOwner: 1 } },
    },
  ],
  [
    "G11",
    "an owner with more unfinished tasks than dead makers left",
    {
      events: [at(1, "listed", { owner: "client:a", unfinished: 2 }), at(2, "half_made", { half: "u" })],
      plan: { limits: { maxUnfinishedPerOwner: 1 } },
    },
    {
      events: [at(1, "half_made", { half: "u" }), at(2, "listed", { owner: "client:a", unfinished: 2 })],
      plan: { limits: { maxUnfinishedPerOwner: 1 } },
    },
  ],
  [
    "G11",
    "a call that is refused for a limit that is not set",
    { events: [at(1, "refused", { code: "LIMIT_EXCEEDED" })] },
    { events: [at(1, "refused", { code: "LIMIT_EXCEEDED" })], plan: { limits: { maxUnfinishedPerOwner: 1 } } },
  ],
  [
    "G12",
    "a task that fails for what it did not do",
    { record: failed("CRASH_LOOP") },
    { record: { ...failed("CRASH_LOOP"), input: { program: [{ op: "poison" }] } } },
  ],
  [
    "fairness",
    "a probe that waits while slots are free",
    { events: [at(1, "probe_begins", { probe: 1 }), at(9_000, "probe_ends", { probe: 1 })] },
    {
      events: [at(1, "probe_begins", { probe: 1 }), at(9_000, "probe_ends", { probe: 1 })],
      plan: { limits: { maxRunning: 2 }, calls: [{ ...call, input: { program: [{ op: "work", ms: 9_000 }] } }] },
    },
  ],
  [
    "fairness",
    "a task that does not begin while slots are free",
    { events: [called, attempt(1, { atMs: 9_000 })] },
    { events: [called, attempt(1, { atMs: 900 })] },
  ],
];

describe("the rules about requests, owners and limits", () => {
  test.each(stories)("%s finds %s", (rule, _, broken, held) => {
    const rulesOf = (given: Given) => [...new Set(check(run(given)).map((violation) => violation.rule))];
    expect([rulesOf(broken), rulesOf(held)]).toEqual([[rule], []]);
  });
});
