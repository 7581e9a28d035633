import type { Store } from "@resumable-mcp/core";
import type { HarnessAbility } from "../../src/scene.js";

/** A store that is broken on purpose. */
export interface Mutant {
  readonly name: string;
  /** The clause that is meant to find it. */
  readonly killedBy: string;
  /** A caller waits for it without end: the clause can find it by its time limit alone. */
  readonly silent?: true;
  /** A journal that is longer is compacted. */
  readonly maxEvents?: number;
  /** What its harness has no means for. */
  readonly lacks?: readonly HarnessAbility[];
  /** Breaks a good store. Called for each process that opens the data: what it remembers is that process's alone. */
  readonly mutate: (store: Store) => Partial<Store>;
}
