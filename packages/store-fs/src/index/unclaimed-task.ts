import { join } from "node:path";
import { claimFiles, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { isTaken, readFrom, renameIfExists } from "../disk/whole-file.js";
import { hashOfCall, parseClaim } from "./task-keys.js";

/** A task and its call. */
interface Named {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
}

/*
 * A task is made, and taken away again where it does not get its call, in a folder of `trash/` that names it. The folder is
 * there until the call is claimed: what a process left half made when it died is found by the folder, and not by a search.
 */

/** Names the folder in which a task is made or taken away. */
export function placeFor({ layout, instance, unique }: StoreContext, taskId: string): string {
  return join(layout.trash, `new.${instance}.${unique()}.${taskId}`);
}

/** The task's folder before it is in its place, and when nothing is left to do but to remove it. */
export const draftIn = (place: string): string => join(place, "draft");
/** The same while it is looked whether a call was claimed for it. */
const withdrawnIn = (place: string): string => join(place, "withdrawn");

/**
 * Takes a task without a call out of its place. Another process may claim the call for it at any moment: who claims looks
 * afterwards whether the folder is there, and this looks at the claims when it is not, so that one of the two sees the other.
 */
export function withdraw(context: StoreContext, task: Named, place = placeFor(context, task.id)): void {
  const { disk, layout, durable } = context;
  disk.makeFolder(place);
  // A loss of power must neither take the task with this folder, nor bring its name back and take what is in it.
  if (durable) disk.syncFolderNow(layout.trash);
  renameIfExists(disk, taskFolder(layout, task.id), withdrawnIn(place));
  if (durable) disk.syncFolderNow(place);
  if (isNamed(context, task)) {
    // The folder stays: who claimed the call may die before it has marked the task.
    putBack(context, place, task.id);
    return;
  }
  renameIfExists(disk, withdrawnIn(place), draftIn(place));
  disk.removeTree(place);
}

/** Tells whether a claim names a task, or may: one that cannot be read. */
function isNamed({ disk, layout }: StoreContext, { id, owner, key }: Named): boolean {
  const folder = join(layout.keys, hashOfCall(owner, key).slice(0, 3));
  const claims = claimFiles.list(disk, folder).map((number) => readFrom(disk, join(folder, claimFiles.nameOf(number))));
  return claims.some((claim) => claim !== undefined && (parseClaim(claim)?.taskId ?? id) === id);
}

/** Puts a task back that was taken out of its place, unless the same call made another one since. */
export function putBack({ disk, layout }: StoreContext, place: string, taskId: string): void {
  try {
    renameIfExists(disk, withdrawnIn(place), taskFolder(layout, taskId));
  } catch (error) {
    if (!isTaken(disk, error, taskFolder(layout, taskId))) throw error;
  }
}
