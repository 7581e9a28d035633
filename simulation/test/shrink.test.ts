import { expect, test } from "vitest";
import { History } from "../src/history/history.js";
import { drawPlan, type Plan } from "../src/run/draw-plan.js";
import type { Report } from "../src/run/run-plan.js";
import { shrink } from "../src/run/shrink.js";

const drawn = drawPlan(1);
const fault: Plan["faults"][number] = { atMs: 0, kind: "kill", slot: 0, amount: 0 };
const [call] = drawn.calls;
if (call === undefined) throw new Error("Seed 1 has no call.");

/** 600 faults and 10 calls, each with 3 interventions. */
const long: Plan = {
  ...drawn,
  workers: 3,
  faults: Array.from({ length: 600 }, (_, atMs) => ({ ...fault, atMs })),
  calls: Array.from({ length: 10 }, (_, index) => ({
    ...call,
    name: `call-${index}`,
    interventions: [1, 2, 3].map((atMs) => ({ atMs: 100 * index + atMs, what: "pause" as const })),
  })),
};

function reportOf(plan: Plan, isBroken: boolean): Report {
  const violations = isBroken ? [{ rule: "G2" as const, text: "" }] : [];
  return { plan, history: new History(() => 0), violations, digest: "", virtualMs: 0, turns: 0 };
}

const namesOf = ({ faults, calls, workers }: Plan) => ({
  faults: faults.map(({ atMs }) => atMs),
  calls: calls.map(({ name, interventions }) => ({ name, interventions: interventions.map(({ atMs }) => atMs) })),
  workers,
});

test("a story of many faults is shortened to the parts that break the guarantee together", async () => {
  let tries = 0;
  const run = async (plan: Plan) => {
    tries += 1;
    const { faults, calls } = namesOf(plan);
    const hasFaults = [17, 18, 301].every((atMs) => faults.includes(atMs));
    const hasCalls = calls.some(({ name, interventions }) => name === "call-7" && interventions.includes(702));
    return reportOf(plan, hasFaults && hasCalls && plan.workers > 1);
  };
  const { plan } = await shrink(reportOf(long, true), run);
  expect(namesOf(plan)).toEqual({
    faults: [17, 18, 301],
    calls: [{ name: "call-7", interventions: [702] }],
    workers: 2,
  });
  expect(tries).toBeLessThan(200);
});

test("a story that breaks without any part has none", async () => {
  const { plan } = await shrink(reportOf(long, true), async (next) => reportOf(next, true));
  expect(namesOf(plan)).toEqual({ faults: [], calls: [], workers: 1 });
});
