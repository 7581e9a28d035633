import { join } from "node:path";
import type { DamagedFile } from "./checked-line.js";
import { taskFolder } from "./layout.js";
import type { StoreContext } from "./store-context.js";
import { createWhole, listIfExists, readFrom, renameIfExists, unlinkIfExists } from "./whole-file.js";

/**
 * Sets a damaged task aside: its folder moves to `quarantine/` as it is, with a report of what was found.
 * Nothing is overwritten and nothing is deleted.
 *
 * @returns where the task's files are now.
 */
export function quarantineTask(context: StoreContext, taskId: string, damage: DamagedFile): string {
  const { disk, layout, durable, readOnly } = context;
  const from = taskFolder(layout, taskId);
  if (readOnly) return from;
  try {
    const name = freeName(context, taskId);
    disk.rename(from, join(layout.quarantine, name));
    writeReport(context, name, {
      taskId,
      from,
      problem: damage.message,
      unfinished: disk.exists(join(layout.open, taskId)),
    });
    // A loss of power must not bring the task back without its marker: no list would name it.
    if (durable) disk.syncFolderNow(layout.quarantine);
    unlinkIfExists(disk, join(layout.open, taskId));
    context.observe("store.quarantine.moved", taskId);
    return join(layout.quarantine, name);
  } catch {
    // Another process may have moved it; and where it cannot be moved it stays, unreadable and untouched.
    return disk.exists(from) ? from : (quarantinedAt(context, taskId) ?? from);
  }
}

/** Sets a single file aside that cannot be understood, unless another process was faster. */
export function quarantineFile(context: StoreContext, path: string, name: string, problem: string): void {
  const { disk, layout, readOnly } = context;
  const free = freeName(context, name);
  if (readOnly || !renameIfExists(disk, path, join(layout.quarantine, free))) return;
  writeReport(context, free, { from: path, problem });
}

/** Keeps a copy of a file of which a part cannot be understood, before that part is left out. */
export function quarantineCopy(context: StoreContext, path: string, name: string, problem: string): void {
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined) return;
  const free = freeName(context, name);
  const { disk, layout, durable, unique } = context;
  createWhole(disk, join(layout.quarantine, free), bytes, unique(), durable);
  writeReport(context, free, { from: path, problem });
  // The caller overwrites the original, so the copy has to be on the disk.
  if (durable) disk.syncFolderNow(layout.quarantine);
}

/** Where a task's damaged files are, if it was set aside. */
export function quarantinedAt(context: StoreContext, taskId: string): string | undefined {
  const path = join(context.layout.quarantine, taskId);
  return context.disk.stat(path) === undefined ? undefined : path;
}

/** Reports something of which there is nothing to keep. */
export function reportFinding(context: StoreContext, name: string, report: object): void {
  writeReport(context, freeName(context, name), report);
}

function writeReport(context: StoreContext, name: string, report: object): void {
  const path = join(context.layout.quarantine, `${name}.report.json`);
  const bytes = Buffer.from(`${JSON.stringify(report, null, 2)}\n`);
  createWhole(context.disk, path, bytes, context.unique(), context.durable);
}

function freeName(context: StoreContext, name: string): string {
  const taken = new Set(listIfExists(context.disk, context.layout.quarantine));
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? name : `${name}.${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}
