import type { Store } from "@resumable-mcp/core";
import type { StoreQuotas } from "@resumable-mcp/core/store";

/**
 * How the kit gets hold of a store, and of what can happen around it.
 *
 * A method that is absent excuses the clauses that need it; clause CAP-1 fails where a store declares a capability
 * that its harness gives no means to verify.
 */
export interface StoreHarness {
  /** Opens a store on data of its own, empty. Called once for each clause. */
  open(): Promise<Store>;
  /**
   * Lets the process of `store` die as by `SIGKILL`, without closing anything, and opens its data again.
   * The leases of the dead end at once, or when their heartbeats have stood still for their `ttlMs`.
   */
  reopen?(store: Store): Promise<Store>;
  /** Opens the data of `store` as another process would. */
  second?(store: Store): Promise<Store>;
  /** As `second`, but like a process on another machine: only heartbeats tell it who lives. */
  far?(store: Store): Promise<Store>;
  /** As `open`, a store with these quotas. */
  limited?(quotas: Partial<StoreQuotas>): Promise<Store>;
  /** Removes what `open` made. Called after each clause, when every store that it opened was closed. */
  dispose?(): Promise<void>;
}

/** What a clause may need beyond one store. */
export type HarnessAbility = ProcessAbility | "limited";

/** What a harness does to the processes around a store. */
export type ProcessAbility = "reopen" | "second" | "far";
