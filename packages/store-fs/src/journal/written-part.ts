import { DamagedFile, isIntact, rawLines } from "../disk/checked-line.js";

const newline = 10;

/**
 * Cuts off what nobody has written: a journal file that is being written is extended by zeros beforehand, and a line
 * holds no zero.
 *
 * A write that was cut short may leave zeros within the last line; it goes with them.
 *
 * @param offset where in the file the bytes begin.
 * @throws {@link DamagedFile} when something whole follows the zeros: then something before it is missing.
 */
export function writtenPart(bytes: Buffer, offset: number, path: string): Buffer {
  const hole = bytes.indexOf(0);
  if (hole < 0) return bytes;
  if (isZero(bytes.subarray(hole))) return bytes.subarray(0, hole);
  const next = bytes.indexOf(newline, hole) + 1;
  for (const line of next === 0 ? [] : rawLines(bytes.subarray(next), offset + next, path)) {
    if (isIntact(line.bytes)) throw new DamagedFile(path, offset + hole, "bytes are missing");
  }
  return bytes.subarray(0, bytes.lastIndexOf(newline, hole) + 1);
}

/** Each byte is the one before it, and the first is zero. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}
