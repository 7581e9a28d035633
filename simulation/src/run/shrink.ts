import type { Plan } from "./draw-plan.js";
import { type Report, runPlan } from "./run-plan.js";

/** At most so many shorter stories are tried: a story of 600 faults, three of which matter, takes about 100. */
const maxTries = 2_000;

/** What can be left out of a plan: a fault, a call, or one of its interventions. */
type Part = Plan["faults"][number] | Plan["calls"][number] | Plan["calls"][number]["interventions"][number];

/**
 * Leaves calls, faults and interventions out of a plan for as long as the same guarantee is broken.
 *
 * Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (ddmin), without its test of single pieces.
 *
 * @param run what a plan comes to.
 * @returns the report of the shortest story that was found: without any one of its parts the guarantee holds.
 */
export async function shrink(report: Report, run: (plan: Plan) => Promise<Report> = runPlan): Promise<Report> {
  const rules = new Set(report.violations.map(({ rule }) => rule));
  let best = report;
  let tries = 0;
  const isBroken = async (plan: Plan): Promise<boolean> => {
    if (++tries > maxTries) return false;
    const next = await run(plan);
    if (!next.violations.some(({ rule }) => rules.has(rule))) return false;
    best = next;
    return true;
  };
  for (let size = partsOf(best.plan).length; size >= 1; ) {
    const { plan } = best;
    const isShorter = await leaveOut(partsOf(plan), size, (parts) => isBroken(withParts(plan, parts)));
    if (!isShorter || size > 1) size = Math.floor(size / 2);
  }
  while (best.plan.workers > 1 && (await isBroken({ ...best.plan, workers: best.plan.workers - 1 })));
  return best;
}

/** Tries a list without each of its pieces of a size; what can be left out stays out. */
async function leaveOut(
  parts: readonly Part[],
  size: number,
  isBroken: (parts: ReadonlySet<Part>) => Promise<boolean>,
): Promise<boolean> {
  let left = parts;
  for (let from = 0; from < left.length; ) {
    const shorter = left.toSpliced(from, size);
    if (await isBroken(new Set(shorter))) left = shorter;
    else from += size;
  }
  return left.length < parts.length;
}

/** Neighbours in time are neighbours in the list, so that they are left out together. */
function partsOf({ faults, calls }: Plan): readonly Part[] {
  return [...faults, ...calls, ...calls.flatMap(({ interventions }) => interventions)];
}

function withParts(plan: Plan, parts: ReadonlySet<Part>): Plan {
  const calls = plan.calls.filter((call) => parts.has(call));
  return {
    ...plan,
    faults: plan.faults.filter((fault) => parts.has(fault)),
    calls: calls.map((call) => withInterventions(call, parts)),
  };
}

/** A call that loses nothing stays the same part. */
function withInterventions(call: Plan["calls"][number], parts: ReadonlySet<Part>): Plan["calls"][number] {
  const interventions = call.interventions.filter((intervention) => parts.has(intervention));
  return interventions.length === call.interventions.length ? call : { ...call, interventions };
}
