import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isFinal } from "@resumable-mcp/core";
import { DamagedFile, isIntact } from "../disk/checked-line.js";
import { isSafeId } from "../disk/layout.js";
import { quarantineCopy } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, touchFile } from "../disk/whole-file.js";
import { newestView } from "../journal/task-view.js";
import { doneLines } from "./done-file.js";
import { readHead } from "./done-head.js";

/** Files of finished tasks in which a line is not what was written there. */
export async function damagedDone(context: StoreContext, names: readonly string[]): Promise<readonly string[]> {
  const damaged: string[] = [];
  for (const name of names) {
    if (await isDamaged(context, name)) damaged.push(name);
  }
  return damaged;
}

async function isDamaged(context: StoreContext, name: string): Promise<boolean> {
  for await (const lines of doneLines(context, name)) {
    for (const { bytes } of lines) if (!isIntact(bytes)) return true;
  }
  return false;
}

/**
 * Finds the finished tasks of damaged lines in their own folders, and gives them a marker: whoever lists tasks next looks
 * them up and writes their lines anew. The damaged files are kept in quarantine as they are.
 */
export async function healDone(
  context: StoreContext,
  names: readonly string[],
  damaged: readonly string[],
): Promise<void> {
  for (const name of damaged) {
    quarantineCopy(context, join(context.layout.done, name), name, "a line of the list of finished tasks is damaged");
  }
  const listed = await listedIds(context, names);
  for (const shard of listIfExists(context.disk, context.layout.tasks) ?? []) {
    for (const id of listIfExists(context.disk, join(context.layout.tasks, shard)) ?? []) {
      if (!listed.has(id) && isFinished(context, id)) touchFile(context.disk, join(context.layout.open, id));
    }
    await breathe();
  }
  // Before the damaged lines are left out: the markers are all that leads to these tasks then.
  if (context.durable) await context.disk.syncFolder(context.layout.open);
}

async function listedIds(context: StoreContext, names: readonly string[]): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  for (const name of names) {
    for await (const lines of doneLines(context, name)) {
      for (const line of lines) {
        const head = readHead(line);
        if (head !== undefined) listed.add(head.id);
      }
    }
  }
  return listed;
}

/** A task that cannot be read is set aside by whoever asks for it. */
function isFinished(context: StoreContext, taskId: string): boolean {
  if (!isSafeId(taskId)) return false;
  try {
    const view = newestView(context, taskId);
    return view !== undefined && isFinal(view.record.status);
  } catch (error) {
    if (error instanceof DamagedFile) return false;
    throw error;
  }
}
