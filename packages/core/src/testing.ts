export type { CheckResumableOptions, ResumableReport } from "./testing/check-resumable.js";
export { checkResumable } from "./testing/check-resumable.js";
export type { ManualClock } from "./testing/manual-clock.js";
export { createManualClock } from "./testing/manual-clock.js";
