import type { Cache } from "../disk/bounded-cache.js";
import { DamagedFile } from "../disk/checked-line.js";
import { taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { type FolderState, lookAt } from "./task-folder.js";
import { extendView, openView, type TaskView } from "./task-view.js";

/** Folded journals that were read lately. */
export type ViewCache = Cache<TaskView>;

/** A journal as read, and the folder as it looked afterwards. */
export interface Reading {
  readonly view: TaskView;
  readonly folder: FolderState;
}

/**
 * Finds the newest sealed epoch and folds it to its end. Epochs that are announced and not sealed count for nothing.
 *
 * @param below only epochs lower than this one.
 * @returns `undefined` when the task is gone.
 */
export function newestView(
  context: StoreContext,
  cache: ViewCache,
  taskId: string,
  below = Number.POSITIVE_INFINITY,
): TaskView | undefined {
  for (;;) {
    const folder = lookAt(context.disk, taskFolder(context.layout, taskId));
    if (folder === undefined) return undefined;
    const view = newestIn(context, cache, taskId, folder, below);
    if (view !== undefined) return view;
    const again = lookAt(context.disk, taskFolder(context.layout, taskId));
    if (again === undefined) return undefined;
    // A taker removes what its seal made superfluous: then there is a newer file by now.
    if (again.epochs.join() === folder.epochs.join())
      throw new DamagedFile(taskFolder(context.layout, taskId), 0, "no journal is readable");
  }
}

function newestIn(
  context: StoreContext,
  cache: ViewCache,
  taskId: string,
  folder: FolderState,
  below: number,
): TaskView | undefined {
  const cached = cache.get(taskId);
  for (const epoch of folder.epochs.toReversed()) {
    if (epoch >= below) continue;
    if (cached?.header.epoch === epoch) {
      if (extendView(context, cached)) keep(cache, taskId, cached);
      return cached;
    }
    const view = openView(context, taskId, epoch);
    if (view === undefined) continue;
    keep(cache, taskId, view);
    return view;
  }
  return undefined;
}

function keep(cache: ViewCache, taskId: string, view: TaskView): void {
  // What a fold keeps in memory is about what its snapshot takes as text.
  cache.set(taskId, view, 2048 + view.bodyStart + view.tail.bytes);
}

/**
 * Reads, then looks: what was read counts for good when no later epoch is announced after the reading, since whoever
 * takes over later reads later.
 *
 * @returns the reading, and whether it is settled in this sense; `undefined` when the task is gone.
 */
export function readNow(
  context: StoreContext,
  cache: ViewCache,
  taskId: string,
): (Reading & { readonly settled: boolean }) | undefined {
  const view = newestView(context, cache, taskId);
  if (view === undefined) return undefined;
  const folder = lookAt(context.disk, taskFolder(context.layout, taskId));
  if (folder === undefined) return undefined;
  return { view, folder, settled: folder.newest === view.header.epoch };
}
