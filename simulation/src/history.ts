/** The rules that judge a run, for other harnesses: storms of real processes give the same evidence. */
export { check } from "./history/check.js";
export { checkLimits } from "./history/check-limits.js";
export { stepDelayMs, stepTimeoutMs } from "./history/check-steps.js";
export type { Evidence, FinalTask, Patience, PlannedFacts, Violation } from "./history/evidence.js";
export type { Facts, HistoryEvent } from "./history/history.js";
