export { memoryHarness } from "./memory-harness.js";
export { describeStore, runClauses } from "./run-clauses.js";
export type { StoreHarness } from "./scene.js";
export { wrapHarness } from "./wrap-harness.js";
