import type { Scene } from "./scene.js";
import type { HarnessAbility } from "./store-harness.js";

/** One sentence of the store contract, and how to find out whether a store keeps it. */
export interface Clause {
  /** Stable: a number is never given to another sentence. */
  readonly id: string;
  readonly level: "MUST" | "SHOULD";
  /** What a store does, in the present tense. */
  readonly title: string;
  /** What breaks without it. */
  readonly because: string;
  readonly needs?: HarnessAbility;
  /** Rejects when the store of the scene does not keep the clause. */
  readonly check: (scene: Scene) => Promise<void>;
}
