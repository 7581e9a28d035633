export { clauses } from "./clauses/clauses.js";
export { ClauseBroken } from "./expect.js";
export type { ClauseResult, RunOptions, TestRunner } from "./run-clauses.js";
export { describeStore, runClauses } from "./run-clauses.js";
export type { Clause, HarnessAbility, KitClock, Scene, StoreHarness } from "./scene.js";
