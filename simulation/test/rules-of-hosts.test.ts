import { describe, expect, test } from "vitest";
import { check } from "../src/history/check.js";
import { at, attempt, begins, call, called, type Given, other, requested, run } from "./given.js";

const asked = at(20_000, "mcp_asked", { caller: "h", question: "q" });
const unstored = at(21_000, "mcp_answered", { caller: "h", question: "q", status: 503, isSame: true });
const ended = (caller: string, task?: string, code?: string) => ({
  ...at(20_500, "mcp_result", { caller, isError: true }),
  task,
  code,
});
const askedAgain = at(23_000, "mcp_asked", { caller: "h", question: "q" });
const cameBack = (status: number) => at(20_000, "mcp_failed", { caller: "h", isCancelled: true, status });
const gaveUp = (afterMs: number) => at(20_000, "mcp_gives_up", { caller: "h", afterMs, retryMs: 7_500 });
const started = at(20_500, "started", { worker: "p2" });
const accepted = at(20_000, "accepted", { caller: "c" });
const withdrawn = (acceptedMs: number) => at(20_100, "withdrawn", { caller: "c", acceptedMs });
const second = other("u", { input: call.input });
const hostCalls = { plan: { calls: [{ ...call, via: "sdk" }] }, others: [second] };
const secondBegins = (atMs: number) => attempt(2, { task: "u", atMs });
const beginsIn = (worker: string) => begins(21_000, { worker, attempt: 2 });

/** What breaks a rule, and what is close to it and does not. */
const stories: readonly (readonly [rule: string, title: string, broken: Given, held: Given])[] = [
  [
    "G9",
    "an answer that could not be stored is not asked for again",
    { events: [asked, unstored] },
    { events: [asked, unstored, askedAgain] },
  ],
  [
    "G9",
    "a full disk does not excuse that",
    { events: [at(19_900, "fault", { fault: "full" }), asked, unstored] },
    { events: [at(19_900, "fault", { fault: "losses" }), asked, unstored] },
  ],
  [
    "G9",
    "the end of a call by another client does not excuse that",
    { events: [asked, ended("i", "t"), unstored] },
    { events: [asked, ended("h", "t"), unstored] },
  ],
  [
    "G9",
    "the end of a call of another task does not excuse that; an error of the store names no task",
    { events: [asked, ended("h", "u", "STORE_READ_FAILED"), unstored] },
    { events: [asked, ended("h", undefined, "STORE_READ_FAILED"), unstored] },
  ],
  [
    "G9",
    "another error that names no task does not excuse that",
    { events: [asked, ended("h", undefined, "INTERNAL"), unstored] },
    { events: [asked, ended("h", "t", "INTERNAL"), unstored] },
  ],
  [
    "G9",
    "a connection that another client dropped does not excuse that",
    { events: [asked, at(20_500, "drops", { caller: "i" }), unstored] },
    { events: [asked, at(20_500, "drops", { caller: "h" }), unstored] },
  ],
  [
    "G5",
    "the cursor of a cancelled call is refused as wrong",
    { events: [cameBack(400)] },
    { events: [cameBack(405)] },
  ],
  [
    "liveness",
    "a client gives up while its server may be away",
    { events: [gaveUp(4_600)] },
    { events: [gaveUp(22_600)] },
  ],
  [
    "G7",
    "the result of a request that was cancelled afterwards is not given again",
    { ...hostCalls, events: [begins(1), accepted, withdrawn(20_000), secondBegins(21_000)] },
    { ...hostCalls, events: [begins(1), accepted, withdrawn(19_000), secondBegins(21_000)] },
  ],
  [
    "G7",
    "a cancellation that comes after the second task excuses nothing",
    { ...hostCalls, events: [begins(1), secondBegins(19_000), accepted, withdrawn(20_000)] },
    { ...hostCalls, events: [begins(1), accepted, secondBegins(20_050), withdrawn(20_000)] },
  ],
  [
    "G8",
    "a process that starts after a cancellation begins something",
    { events: [called, attempt(1), ...requested("cancel"), started, beginsIn("p2")] },
    { events: [called, attempt(1), ...requested("cancel"), started, beginsIn("p")] },
  ],
];

describe("the rules about hosts", () => {
  test.each(stories)("%s: %s", (rule, _, broken, held) => {
    const [found, none] = [check(run(broken)), check(run(held))];
    expect([new Set(found.map((violation) => violation.rule)), none]).toEqual([new Set([rule]), []]);
  });
});
