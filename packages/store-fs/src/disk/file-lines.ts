import { setImmediate as breathe } from "node:timers/promises";
import { type RawLine, rawLines } from "./checked-line.js";
import type { Disk } from "./disk.js";
import { LineChunks } from "./line-chunks.js";
import { openIfExists } from "./whole-file.js";

/**
 * Reads the lines of a file, a chunk at a time, and lets others work in between. A torn last line is left out.
 *
 * @returns `undefined` when there is no such file. What is returned has to be read: it is open. The bytes of a line are
 * there until the next one is asked for.
 */
export function fileLines(disk: Disk, path: string): AsyncGenerator<Iterable<RawLine>> | undefined {
  const file = openIfExists(disk, path);
  return file === undefined ? undefined : linesOf(disk, file, path);
}

async function* linesOf(disk: Disk, file: number, path: string): AsyncGenerator<Iterable<RawLine>> {
  const chunks = new LineChunks(disk, file, {});
  try {
    for (let chunk = chunks.next(); chunk !== undefined; chunk = chunks.next()) {
      yield rawLines(chunk.bytes, chunk.start, path);
      await breathe();
    }
  } finally {
    chunks.close();
    disk.close(file);
  }
}
