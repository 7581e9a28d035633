import { describe, expect, it } from "vitest";
import { mayRepeat, planCall, type RepeatFacts } from "../src/call/plan.js";
import { wrapLimits } from "../src/limits.js";

const since = "2026-11-30T12:00:00.000Z";
const sinceMs = Date.parse(since);
const repeatable = { since, of: "version 1" };
const facts = (given: Partial<RepeatFacts>): RepeatFacts => ({
  ...{ state: { repeatable }, of: "version 1", mayRepeat: true, nowMs: sinceMs, losses: 1 },
  ...given,
});
const unknown = (why: string) => ({ kind: "unknown", why: `The server was lost while it carried out the call${why}` });

describe("what becomes of a call whose answer was lost", () => {
  it.each([
    [
      "begins where it was never made, however often the server was lost",
      { state: { waits: true }, losses: 9 },
      { kind: "begin" },
    ],
    ["is made again where it may be", {}, { kind: "repeat" }],
    ["is made again within an hour", { nowMs: sinceMs + wrapLimits.repeatWithinMs }, { kind: "repeat" }],
    [
      "is not made again later",
      { nowMs: sinceMs + wrapLimits.repeatWithinMs + 1 },
      unknown(", which was made too long ago"),
    ],
    ["is not made again by another version", { of: "version 2" }, unknown(", and is another version now")],
    ["is not made again where that is forbidden since", { mayRepeat: false }, unknown("")],
    ["is not made again where that was not noted", { state: {} }, unknown("")],
    [
      "waits for the task of its server before all else",
      { state: { task: "t", checkpoint: "c", repeatable } },
      { kind: "await", task: "t" },
    ],
    [
      "continues from a checkpoint also where it may not be made again, and however late",
      { state: { checkpoint: "c" }, of: "version 2", mayRepeat: false, nowMs: sinceMs + 1e12 },
      { kind: "continue", checkpoint: "c", round: undefined },
    ],
    [
      "continues from both that its server gave",
      { state: { checkpoint: "c", round: { count: 2, requestState: "s" } } },
      { kind: "continue", checkpoint: "c", round: { count: 2, requestState: "s" } },
    ],
    [
      "continues after two losses in a row",
      { state: { checkpoint: "c" }, losses: wrapLimits.maxLosses - 1 },
      { kind: "continue", checkpoint: "c", round: undefined },
    ],
    ...([{ checkpoint: "c" }, { task: "t" }, { repeatable }] as const).map(
      (state) =>
        [
          `ends after three losses in a row, with ${Object.keys(state)[0]}`,
          { state, losses: wrapLimits.maxLosses },
          { kind: "unknown", why: "The server was lost 3 times in a row while it carried out the call" },
        ] as const,
    ),
  ] satisfies readonly (readonly [string, Partial<RepeatFacts>, object])[])("%s", (_what, given, plan) => {
    expect(planCall(facts(given))).toEqual(plan);
  });
});

it.each([
  ["its user trusts that it only reads", { readOnlyHint: true }, { trustAnnotations: true, repeat: {} }, true],
  ["its user trusts that it is idempotent", { idempotentHint: true }, { trustAnnotations: true, repeat: {} }, true],
  ["its server says neither", { destructiveHint: false }, { trustAnnotations: true, repeat: {} }, false],
  ["its user does not trust it", { readOnlyHint: true }, { trustAnnotations: false, repeat: {} }, false],
  ["its user says never", { readOnlyHint: true }, { trustAnnotations: true, repeat: { x: "never" } }, false],
  ["its user says always", {}, { trustAnnotations: false, repeat: { x: "always" } }, true],
  ["its user says that of another", {}, { trustAnnotations: false, repeat: { y: "always" } }, false],
] as const)("a call may be made again or not where %s", (_why, annotations, rules, may) => {
  expect(mayRepeat({ name: "x", annotations }, rules)).toBe(may);
});

it("a tool has no rule that it was not given", () => {
  expect(mayRepeat({ name: "constructor" }, { trustAnnotations: false, repeat: {} })).toBe(false);
});
