import type { Plan } from "./draw-plan.js";
import { type Report, runPlan } from "./run-plan.js";

/** At most so many shorter stories are tried. */
const maxTries = 300;

/**
 * Leaves calls, faults and interventions out of a plan for as long as the same guarantee is broken.
 *
 * @returns the report of the shortest story that was found.
 */
export async function shrink(report: Report): Promise<Report> {
  const rules = new Set(report.violations.map(({ rule }) => rule));
  let best = report;
  let tries = 0;
  const keepIfBroken = async (plan: Plan): Promise<boolean> => {
    tries += 1;
    const next = await runPlan(plan);
    if (!next.violations.some(({ rule }) => rules.has(rule))) return false;
    best = next;
    return true;
  };
  for (let isShorter = true; isShorter && tries < maxTries; ) {
    isShorter = false;
    for (const plan of shorterPlans(best.plan)) {
      if (tries >= maxTries) break;
      if (!(await keepIfBroken(plan))) continue;
      isShorter = true;
      break;
    }
  }
  return best;
}

/** The plans that have a part less, the largest parts first. */
function* shorterPlans(plan: Plan): Generator<Plan> {
  for (const part of [2, 4, 8]) {
    yield* withoutParts(plan, "faults", Math.floor(plan.faults.length / part));
    yield* withoutParts(plan, "calls", Math.floor(plan.calls.length / part));
  }
  yield* withoutParts(plan, "faults", 1);
  yield* withoutParts(plan, "calls", 1);
  for (const [index, call] of plan.calls.entries()) {
    if (call.interventions.length === 0) continue;
    yield { ...plan, calls: plan.calls.with(index, { ...call, interventions: call.interventions.slice(1) }) };
  }
  if (plan.workers > 1) yield { ...plan, workers: plan.workers - 1 };
}

function* withoutParts(plan: Plan, name: "faults" | "calls", size: number): Generator<Plan> {
  if (size < 1) return;
  for (let from = 0; from < plan[name].length; from += size) {
    yield { ...plan, [name]: plan[name].toSpliced(from, size) };
  }
}
