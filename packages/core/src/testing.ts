export { checkResumable } from "./testing/check-resumable.js";
export { createManualClock, type ManualClock } from "./testing/manual-clock.js";
