import { basename } from "node:path";
import type { DamagedFile } from "../../disk/checked-line.js";
import { taskFolder } from "../../disk/layout.js";
import { quarantineFile, quarantineTask } from "../../disk/quarantine.js";
import type { StoreContext } from "../../disk/store-context.js";
import { lookAt, parseLease } from "../../journal/task-folder.js";
import type { OpenStore } from "../../open-store.js";
import { adminTtlMs } from "../open-folder.js";

/**
 * What can be wrong in a store's folder.
 *
 * - `damaged_format` a `format.json` that is missing or cannot be read, where the journals tell the layout
 * - `damaged` a task whose files cannot be understood · `damaged_claim` `damaged_answer` `damaged_artifact`
 *   `damaged_server_document` `damaged_document` `damaged_list` a file of that kind that cannot be
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
  | "damaged_artifact"
  | "damaged_server_document"
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
  /** `damage` lost something, or may; what is `harmless` does no harm. */
  readonly severity: "damage" | "harmless";
  readonly taskId?: string;
  readonly path: string;
  readonly message: string;
  /** What a repair would do; absent where nothing can be done by a program. */
  readonly fix?: Fix;
}

/** How a problem is put right. */
export interface Fix {
  readonly description: string;
  /** @throws {@link RepairRefused} when it must not be done now. */
  readonly apply: (store: OpenStore) => Promise<void>;
}

/** A repair that must not be done, and why. */
export class RepairRefused extends Error {
  override readonly name = "RepairRefused";
}

/** A file that is younger may be on its way to its place. */
const draftAgeMs = 10 * 60_000;

/** A problem with something that a program made and did not finish, or that this program did not make. */
export function strayFile({ disk }: StoreContext, path: string): readonly Problem[] {
  const stray = (kind: ProblemKind, message: string): readonly Problem[] => [
    { kind, severity: "harmless", path, message, fix: moveAside(path, message) },
  ];
  if (!basename(path).includes(".draft.")) return stray("foreign", "not a file of the store");
  const ageMs = Date.now() - (disk.stat(path)?.modifiedMs ?? Date.now());
  return ageMs < draftAgeMs ? [] : stray("leftover", "a draft whose process died before it renamed the file");
}

/** Moves something to `quarantine/` as it is, with a report that says where it was. */
export function moveAside(
  path: string,
  problem: string,
  { name = basename(path), taskId }: { readonly name?: string; readonly taskId?: string } = {},
): Fix {
  const kept = name.replace(/^\.+/, "");
  return {
    description: `move it to quarantine/${kept}`,
    apply: async (store: OpenStore) => {
      if (taskId !== undefined) refuseIfHeld(store, taskId);
      quarantineFile(store.context, path, kept, problem);
    },
  };
}

/** Moves a task to `quarantine/`. */
export function setAside(taskId: string, damage: DamagedFile): Fix {
  return {
    description: `move the task to quarantine/${taskId}`,
    apply: async (store) => {
      refuseIfHeld(store, taskId);
      quarantineTask(store.context, taskId, damage);
    },
  };
}

/** A worker that holds a task and is not known to be dead. */
export function findHolder({ context, workers }: OpenStore, taskId: string): string | undefined {
  const folder = lookAt(context.disk, taskFolder(context.layout, taskId));
  const holders = (folder?.leases ?? []).map((name) => parseLease(name).holder);
  return holders.find((holder) => workers.isAlive(holder, adminTtlMs));
}

/** @throws {@link RepairRefused} when a live process holds the task. */
export function refuseIfHeld(store: OpenStore, taskId: string): void {
  const holder = findHolder(store, taskId);
  if (holder === undefined) return;
  throw new RepairRefused(`a live process (${holder}) holds the task; stop it, or wait until it has finished`);
}
