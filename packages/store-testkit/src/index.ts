export { clauses } from "./clauses/clauses.js";
export type { TestRunner } from "./describe-store.js";
export { describeStore } from "./describe-store.js";
export { ClauseBroken } from "./expect.js";
export type { ClauseResult, RunOptions } from "./run-clauses.js";
export { runClauses } from "./run-clauses.js";
export type { Clause, KitClock, Scene } from "./scene.js";
export type { HarnessAbility, StoreHarness } from "./store-harness.js";
