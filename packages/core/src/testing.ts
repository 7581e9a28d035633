export { checkResumable } from "./testing/check-resumable.js";
export { createManualClock } from "./testing/manual-clock.js";
