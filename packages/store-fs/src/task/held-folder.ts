import { join } from "node:path";
import { isSystemError } from "../disk/disk.js";
import { leaseName, quietName } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { touchFile, unlinkIfExists } from "../disk/whole-file.js";
import type { JournalHeader } from "../journal/journal-line.js";
import { holds } from "../journal/take-over.js";
import { type FolderState, lookAt } from "../journal/task-folder.js";

/**
 * The folder of a task as its writer looks at it.
 *
 * The writer leaves a marker and lists the folder then. Every change that it has to know of is followed by the removal of
 * the marker (`disturb`): as long as the marker stands, what was listed is what there is. That costs one call of the
 * system for a commit, where listing costs several.
 */
export class HeldFolder {
  readonly path: string;
  /** The name of the file whose presence is the lease. */
  readonly leaseFile: string;
  readonly #disk: StoreContext["disk"];
  readonly #marker: string;
  /** What was listed last, as long as the marker stands. */
  #seen: FolderState | undefined;

  constructor({ disk }: StoreContext, path: string, { lease, holder }: Pick<JournalHeader, "lease" | "holder">) {
    this.#disk = disk;
    this.path = path;
    this.leaseFile = leaseName(lease, holder ?? "");
    this.#marker = join(path, quietName(this.leaseFile));
  }

  /** The files that make the lease. */
  get leasePaths(): readonly string[] {
    return [join(this.path, this.leaseFile), this.#marker];
  }

  /** The folder, if the lease is there and an epoch is the newest. */
  look(epoch: number): FolderState | undefined {
    if (this.#seen !== undefined && this.#disk.exists(this.#marker)) return this.#ifHeld(this.#seen, epoch);
    const isMarked = this.#mark();
    const folder = lookAt(this.#disk, this.path);
    this.#seen = isMarked ? folder : undefined;
    return this.#ifHeld(folder, epoch);
  }

  /** As `look`, and always lists. */
  list(epoch: number): FolderState | undefined {
    return this.#ifHeld(lookAt(this.#disk, this.path), epoch);
  }

  #ifHeld(folder: FolderState | undefined, epoch: number): FolderState | undefined {
    return holds(folder, epoch, this.leaseFile) ? folder : undefined;
  }

  /** A marker that cannot be left only makes the next look more expensive. */
  #mark(): boolean {
    try {
      touchFile(this.#disk, this.#marker);
      return true;
    } catch {
      return false;
    }
  }

  /** Notes that the writer itself changed something. */
  changed(): void {
    this.#seen = undefined;
  }

  /** Tells whether an epoch is the newest, also after the lease was released. */
  isNewest(epoch: number): boolean {
    if (this.#seen?.newest === epoch && this.#disk.exists(this.#marker)) return true;
    return lookAt(this.#disk, this.path)?.newest === epoch;
  }
}

/** The files of leases that are over. */
export class LeaseFiles {
  readonly #disk: StoreContext["disk"];
  readonly #remaining = new Set<string>();

  constructor({ disk }: StoreContext) {
    this.#disk = disk;
  }

  remove(paths: readonly string[]): void {
    this.removeLater(paths);
    this.tidy();
  }

  removeLater(paths: readonly string[]): void {
    for (const path of paths) this.#remaining.add(path);
  }

  /** Removes what could not be removed when its lease ended: until then, other processes see the task leased. */
  tidy(): void {
    for (const path of this.#remaining) {
      try {
        unlinkIfExists(this.#disk, path);
        this.#remaining.delete(path);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }
}
