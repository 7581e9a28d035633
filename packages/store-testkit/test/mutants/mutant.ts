import type { Store } from "@resumable-mcp/core";

/** A store that is broken on purpose. */
export interface Mutant {
  readonly name: string;
  /** The clause that is meant to find it. */
  readonly killedBy: string;
  /** Breaks a good store. */
  readonly mutate: (store: Store) => Partial<Store>;
}
