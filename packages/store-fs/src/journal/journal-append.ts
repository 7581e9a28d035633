import type { StoreContext } from "../disk/store-context.js";
import { writeAll } from "../disk/whole-file.js";
import type { LiveLease } from "./live-lease.js";

const zeros = Buffer.alloc(64 * 1024);

/**
 * Writes a line at the end of a lease's journal file.
 *
 * A file whose lines are synced is extended by zeros before they are needed: a sync that changes the length of a file
 * also waits for the file system's own journal, which takes as long again.
 */
export function appendLine(context: StoreContext, live: LiveLease, line: Buffer): void {
  const { offset } = live.view;
  const end = offset + line.byteLength;
  if (context.durable && end > live.extendedTo && offset >= context.limits.extendFromBytes) extend(context, live, end);
  writeAll(context.disk, live.file, line, offset);
}

/** By as much as there is, so that no file becomes more than twice as long. What fails here only makes syncs slower. */
function extend({ disk, limits }: StoreContext, live: LiveLease, from: number): void {
  const wanted = Math.min(live.view.offset, limits.maxExtendBytes);
  live.extendedTo = from;
  try {
    while (live.extendedTo < from + wanted) {
      const ahead = zeros.subarray(0, from + wanted - live.extendedTo);
      writeAll(disk, live.file, ahead, live.extendedTo);
      live.extendedTo += ahead.byteLength;
    }
  } catch {
    live.extendedTo = Number.POSITIVE_INFINITY;
  }
}

/** Cuts a file that takes no more lines to what was written. Only after writes that all succeeded. */
export function trim({ disk }: StoreContext, live: LiveLease): void {
  if (live.extendedTo === 0) return;
  try {
    disk.truncate(live.file, live.view.offset);
  } catch {
    // Whoever reads it leaves the zeros out.
  }
}
