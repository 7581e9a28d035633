import { setImmediate as breathe } from "node:timers/promises";
import { type RawLine, rawLines } from "./checked-line.js";
import { type Disk, hasCode } from "./disk.js";
import { readRange } from "./whole-file.js";

const chunkBytes = 256 * 1024;

/**
 * Reads a file line by line, a chunk at a time, and lets others work in between. A torn last line is left out.
 *
 * @returns `undefined` when there is no such file. What is returned has to be read: it is open.
 */
export function fileLines(disk: Disk, path: string): AsyncGenerator<RawLine> | undefined {
  const file = openIfThere(disk, path);
  return file === undefined ? undefined : linesOf(disk, file, path);
}

async function* linesOf(disk: Disk, file: number, path: string): AsyncGenerator<RawLine> {
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let position = 0; ; ) {
      const chunk = readRange(disk, file, position, chunkBytes);
      if (chunk.byteLength === 0) return;
      position += chunk.byteLength;
      const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(10) + 1;
      yield* rawLines(bytes.subarray(0, end), position - bytes.byteLength, path);
      rest = Buffer.from(bytes.subarray(end));
      await breathe();
    }
  } finally {
    disk.close(file);
  }
}

function openIfThere(disk: Disk, path: string): number | undefined {
  try {
    return disk.open(path, "r");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
