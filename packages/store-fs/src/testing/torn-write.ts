import { resized, withWritten } from "./memory-disk.js";

/**
 * What is left of bytes that were written and not synced.
 *
 * - `kept` all · `dropped` nothing, not even the file's new length · `zeroed` the length, with zeros where nothing was before
 * - `cut` what comes before a byte, in a file that ends there · `torn` some sectors of the file, and its whole length
 */
export type DataLoss =
  | "kept"
  | "dropped"
  | "zeroed"
  | { readonly cutAt: number }
  | { readonly tornBy: (sector: number) => boolean };

/** What a disk writes as a whole. */
export const sectorBytes = 512;

/** A file's bytes after a write of which a part was lost. */
export function lossyWrite(before: Buffer, bytes: Uint8Array, position: number, loss: DataLoss): Buffer {
  if (loss === "kept") return withWritten(before, bytes, position);
  if (loss === "dropped") return before;
  const end = Math.max(before.byteLength, position + bytes.byteLength);
  if (loss === "zeroed") return resized(before, end);
  if ("cutAt" in loss)
    return withWritten(before, bytes.subarray(0, Math.floor(loss.cutAt * bytes.byteLength)), position);
  let after = resized(before, end);
  for (let from = 0; from < bytes.byteLength; ) {
    const sector = Math.floor((position + from) / sectorBytes);
    const to = Math.min((sector + 1) * sectorBytes - position, bytes.byteLength);
    if (loss.tornBy(sector)) after = withWritten(after, bytes.subarray(from, to), position + from);
    from = to;
  }
  return after;
}
