import type { CallPlan } from "../callers/caller.js";
import type { Operation } from "../callers/script-tool.js";
import type { Random } from "../world/random.js";

/** A call, and when it is made. */
export interface PlannedCall extends CallPlan {
  readonly atMs: number;
}

interface CallFrame {
  readonly index: number;
  readonly owners: readonly string[];
  readonly calmMs: number;
  readonly mode: "chaos" | "poison" | "waiting";
}

/** Draws a call: what is called, by whom, and how its caller behaves. */
export function drawCall(random: Random, { index, owners, calmMs, mode }: CallFrame): PlannedCall {
  const length = random.pick([1, 3, 8, 20]);
  const program = Array.from({ length }, () => (mode === "waiting" ? drawWait(random) : drawOperation(random)));
  if (mode === "poison" && index === 0) program.splice(random.below(length), 0, { op: "poison" });
  // Now and then the same call as that of another caller.
  const run = random.percent(15) ? "shared" : `run-${index}`;
  const interventions = Array.from({ length: random.pick([0, 0, 1, 3]) }, () => ({
    atMs: random.between(0, calmMs),
    what: random.pick(["pause", "resume", "cancel", "detach", "drop", "drop"] as const),
  }));
  return {
    name: `caller-${index}`,
    owner: random.pick(owners),
    via: random.pick(["engine", "engine", "2025", "2026"] as const),
    input: {
      run,
      program:
        run === "shared"
          ? [
              { op: "work", ms: 300 },
              { op: "sleep", ms: 2_000 },
            ]
          : program,
    },
    detached: random.percent(30),
    callId: random.percent(40) ? `call-${index}-of-the-run` : undefined,
    returnsPercent: random.pick([0, 60, 100, 100]),
    answersPercent: random.pick([0, 70, 100, 100]),
    interventions,
    atMs: random.between(0, calmMs * 0.7),
  };
}

function drawOperation(random: Random): Operation {
  const kind = random.below(100);
  if (kind < 45) return { op: "work", ms: random.pick([0, 1, 20, 400]) };
  if (kind < 60) return { op: "step" };
  if (kind < 72) return { op: "sleep", ms: random.pick([50, 1_000, 6_000]) };
  if (kind < 84) return { op: "ask", ...(random.percent(30) && { timeoutMs: 5_000 }) };
  if (kind < 92) return { op: "fail", times: random.pick([1, 2]) };
  if (kind < 97) return { op: "stubborn", ms: random.pick([500, 4_000]) };
  return { op: "give_up" };
}

/** Something that only waits, and for long: deaths come while it does. */
function drawWait(random: Random): Operation {
  return random.percent(50) ? { op: "ask" } : { op: "sleep", ms: random.pick([1_000, 6_000, 20_000]) };
}
