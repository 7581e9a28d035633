export { clauses } from "./clauses/clauses.js";
export { ClauseBroken } from "./expect.js";
export { memoryHarness } from "./memory-harness.js";
export type { ClauseResult, RunOptions, TestRunner } from "./run-clauses.js";
export { describeStore, runClauses } from "./run-clauses.js";
export type { Clause, HarnessAbility, KitClock, Scene, StoreHarness } from "./scene.js";
export { wrapHarness } from "./wrap-harness.js";
