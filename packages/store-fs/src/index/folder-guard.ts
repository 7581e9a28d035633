import { join } from "node:path";
import type { StoreContext } from "../disk/store-context.js";
import { storeMissing } from "../disk/store-errors.js";
import { isTaken, listIfExists, touchFile } from "../disk/whole-file.js";
import { taskIds } from "../journal/task-folder.js";
import type { OwnerPlaces } from "./owner-places.js";
import type { TaskKeys } from "./task-keys.js";

interface GuardParts {
  readonly keys: TaskKeys;
  readonly places: OwnerPlaces;
  /** Says that this store is in use: others remove drafts of stores that are not. */
  readonly sayInUse: () => void;
}

/**
 * Notices when the store's folder, or one in it, is taken away under a running process.
 *
 * `tasks/` is the truth. What can be derived from it is made again. Where it or the whole folder is not there, or another
 * one is in its place, nothing is read or written until the same one is back: an unmounted disk leaves an empty folder,
 * in which a store must not begin from nothing.
 */
export class FolderGuard {
  readonly #context: StoreContext;
  readonly #parts: GuardParts;
  /** Which folders these are; `undefined` before the store is open. */
  #identity: string | undefined;
  /** The state of the root in which every folder was there. */
  #wholeState: string | undefined;

  constructor(context: StoreContext, parts: GuardParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Makes the folders that are not there, and notes which store this is. @throws `STORE_MISSING` where only tasks/ is not. */
  open(): void {
    const { disk, layout } = this.#context;
    const isNew = !disk.exists(layout.tasks);
    if (isNew && [layout.open, layout.done].some((folder) => (listIfExists(disk, folder) ?? []).length > 0)) {
      throw storeMissing(layout.tasks, "tasks/ is missing, but open/ or done/ lists tasks");
    }
    if (isNew) for (const folder of this.#folders) disk.makeFolder(folder);
    else this.#restore();
    touchFile(disk, layout.notifications);
    this.#identity = this.#look().identity;
  }

  /** @throws `STORE_MISSING` while the folder is not the one that was opened. */
  check(): void {
    const { disk, layout } = this.#context;
    if (this.#identity === undefined) return;
    const { identity, state } = this.#look();
    if (identity !== this.#identity) throw storeMissing(layout.directory, "another folder, or none, is in its place");
    if (state === this.#wholeState) return;
    this.#context.syncs.forgetNames();
    if (!disk.exists(layout.open) || !disk.exists(layout.done) || !disk.exists(layout.keys)) this.#restore();
    // As it was before it was looked through: what changes meanwhile is looked at by the next check.
    this.#wholeState = state;
  }

  /** As `check`, and makes every other folder that is missing. */
  checkAll(): void {
    this.check();
    if (this.#identity !== undefined) this.#restore();
  }

  #look(): { readonly identity: string; readonly state: string | undefined } {
    const { disk, layout } = this.#context;
    const root = disk.identify(layout.directory);
    return { identity: `${root?.id} ${disk.identify(layout.tasks)?.id}`, state: root?.state };
  }

  /** Those that are derived from tasks/ come last: what is interrupted before is done again. */
  get #folders(): readonly string[] {
    const { tasks, trash, quarantine, workers, documents, owners, keys, open, done } = this.#context.layout;
    return [tasks, trash, quarantine, workers, documents, owners, keys, open, done];
  }

  #restore(): void {
    const context = this.#context;
    const { disk, layout, durable } = context;
    const { keys, places, sayInUse } = this.#parts;
    const missing = this.#folders.filter((folder) => !disk.exists(folder));
    if (missing.length === 0) return;
    const lost = new Set(missing);
    for (const folder of missing) if (folder !== layout.open && folder !== layout.done) disk.makeFolder(folder);
    if (lost.has(layout.keys)) keys.claimAll();
    if (lost.has(layout.open) || lost.has(layout.done)) {
      sayInUse();
      // Where the claims were lost as well, no task can show that it was claimed.
      markAll(context, (id) => lost.has(layout.keys) || keys.isClaimed(id));
    }
    if (lost.has(layout.owners)) places.restore();
    if (durable) disk.syncFolderNow(layout.directory);
    const names = missing.toReversed().map((folder) => `${folder.slice(layout.directory.length + 1)}/`);
    context.warn(`${names.join(", ")} was missing in the store's folder and was rebuilt from tasks/.`);
  }
}

/**
 * Gives every task that may have one a marker: the next process that lists tasks looks them up, and moves the finished ones to `done/`. The folder
 * of markers appears with all of them, since another process may list them at any moment.
 */
function markAll(context: StoreContext, mayRun: (taskId: string) => boolean): void {
  const { disk, layout, durable } = context;
  const aside = join(layout.trash, `new.${context.instance}.${context.unique()}`);
  const ids = [...taskIds(context)].filter(mayRun);
  disk.makeFolder(aside);
  for (const id of ids) touchFile(disk, join(aside, id));
  if (durable) disk.syncFolderNow(aside);
  try {
    disk.rename(aside, layout.open);
  } catch (error) {
    if (!isTaken(disk, error, layout.open)) throw error;
    // There are markers: those that are missing join them.
    for (const id of ids) touchFile(disk, join(layout.open, id));
    if (durable) disk.syncFolderNow(layout.open);
    disk.removeTree(aside);
  }
  disk.makeFolder(layout.done);
}
