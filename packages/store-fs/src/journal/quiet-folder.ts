import { join } from "node:path";
import { taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { touchFile, unlinkIfExists } from "../disk/whole-file.js";
import type { LiveLease } from "./live-lease.js";
import { type FolderState, lookAt } from "./task-folder.js";

/**
 * Lists a task's folder for whoever writes the task, unless nothing happened there since the last time.
 *
 * The writer leaves a marker and lists the folder then. Whoever changes what it has to know of removes the marker after
 * the change and before relying on it: as long as the marker stands, what was listed is what there is. That costs one
 * call of the system for a commit, where listing costs several.
 */
export function lookAsWriter(context: StoreContext, live: LiveLease): FolderState | undefined {
  const { disk } = context;
  if (live.seen !== undefined && disk.exists(live.quietPath)) return live.seen;
  const isMarked = mark(context, live);
  const folder = lookAt(disk, live.folder);
  live.seen = isMarked ? folder : undefined;
  return folder;
}

/** A marker that cannot be left only makes the next look more expensive. */
function mark({ disk }: StoreContext, live: LiveLease): boolean {
  try {
    touchFile(disk, live.quietPath);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes every writer of a task look again. Called after a change of the folder, and before anybody relies on the
 * writers' knowing it.
 */
export function disturb({ disk, layout }: StoreContext, taskId: string): void {
  const folder = taskFolder(layout, taskId);
  for (const name of lookAt(disk, folder)?.quiet ?? []) unlinkIfExists(disk, join(folder, name));
}
