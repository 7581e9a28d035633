import type { SupervisorLimits } from "../limits.js";

type RestartLimits = Pick<SupervisorLimits, "maxCrashes" | "crashWindowMs" | "restartDelayMs" | "maxRestartDelayMs">;

/**
 * Decides after a death of the server how long to wait before the next start; `undefined`: give up. Pure.
 *
 * @param deathsMs times of the deaths so far, this one included, oldest first.
 */
export function restartDelay(deathsMs: readonly number[], nowMs: number, limits: RestartLimits): number | undefined {
  const recent = deathsMs.filter((deathMs) => nowMs - deathMs <= limits.crashWindowMs).length;
  if (recent > limits.maxCrashes) return undefined;
  return Math.min(limits.restartDelayMs * 2 ** Math.max(0, recent - 1), limits.maxRestartDelayMs);
}
