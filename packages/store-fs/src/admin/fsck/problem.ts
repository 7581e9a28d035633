import type { OpenStore } from "../../open-store.js";

/**
 * What can be wrong in a store's folder.
 *
 * - `damaged_format` a `format.json` that is missing or cannot be read, where the journals tell the layout
 * - `damaged` a task whose files cannot be understood · `damaged_claim` `damaged_answer` `damaged_session`
 *   `damaged_document` `damaged_list` a file of that kind that cannot be
 * - `lost_end` a task's document that shows a later event than the journal holds
 * - `unlisted` a task that is not where its status says · `stale_marker` a marker of a task that is not there
 * - `torn` a journal that ends in half a line · `orphaned` a journal that counts for nothing
 * - `leftover` what a process that died was making or deleting · `foreign` what this program did not make
 * - `quarantined` what was set aside before
 */
export type ProblemKind =
  | "damaged_format"
  | "damaged"
  | "damaged_claim"
  | "damaged_answer"
  | "damaged_session"
  | "damaged_document"
  | "damaged_list"
  | "lost_end"
  | "unlisted"
  | "stale_marker"
  | "torn"
  | "orphaned"
  | "leftover"
  | "foreign"
  | "quarantined";

/** Something in a store's folder that is not as it should be. */
export interface Problem {
  readonly kind: ProblemKind;
  /** `damage` lost something, or may; what is `harmless` hinders nobody. */
  readonly severity: "damage" | "harmless";
  readonly taskId?: string;
  readonly path: string;
  readonly message: string;
  /** What a repair would do; absent where nothing can be done by a program. */
  readonly remedy?: Remedy;
}

/** How a problem is put right. */
export interface Remedy {
  readonly says: string;
  /** @throws {@link RepairRefused} when it must not be done now. */
  readonly apply: (store: OpenStore) => Promise<void>;
}

/** A repair that must not be done, and why. */
export class RepairRefused extends Error {
  override readonly name = "RepairRefused";
}
