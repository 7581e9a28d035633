import { setImmediate as breathe } from "node:timers/promises";
import { isIntact, type RawLine, rawLines } from "./checked-line.js";
import type { Disk } from "./disk.js";
import { openIfExists, readInto, readRange } from "./whole-file.js";

/** Enough for hundreds of lines, and little more than a page of events needs. */
const chunkBytes = 64 * 1024;
const newline = 10;

/** A buffer that is not in use: mostly one file is read at a time. */
let spare: Buffer | undefined;

/** Whole lines of a file, and where they begin. */
export interface LineChunk {
  readonly start: number;
  readonly bytes: Buffer;
}

/**
 * Reads the whole lines of a part of a file, a chunk at a time and each into the place of the one before: reading a
 * large file takes no more memory than a small one.
 */
export class LineChunks {
  /** Where the next chunk begins: everything before it was given out. */
  position: number;
  #room: Buffer;
  readonly #disk: Disk;
  readonly #file: number;
  readonly #end: number;

  /** @param range.end how much of the file counts; absent for all of it. */
  constructor(disk: Disk, file: number, { from = 0, end = Number.POSITIVE_INFINITY }: { from?: number; end?: number }) {
    this.#disk = disk;
    this.#file = file;
    this.position = from;
    this.#end = end;
    this.#room = spare ?? Buffer.allocUnsafeSlow(chunkBytes);
    spare = undefined;
  }

  /** The next lines, there until the next call; `undefined` when what is left is not a whole line. */
  next(): LineChunk | undefined {
    for (;;) {
      const start = this.position;
      const length = Math.min(this.#room.byteLength, this.#end - start);
      const chunk = readInto(this.#disk, this.#file, start, this.#room.subarray(0, length));
      const whole = chunk.lastIndexOf(newline) + 1;
      if (whole > 0) {
        this.position += whole;
        return { start, bytes: chunk.subarray(0, whole) };
      }
      if (chunk.byteLength < length || start + length >= this.#end) return undefined;
      this.#room = Buffer.allocUnsafeSlow(2 * this.#room.byteLength);
    }
  }

  /** Gives the memory back. What was given out counts no more. */
  close(): void {
    if (this.#room.byteLength === chunkBytes) spare = this.#room;
  }
}

/**
 * Reads the lines of a file, a chunk at a time, and lets others work in between. A torn last line is left out; one whose
 * newline was changed is given with it, so that its checksum is wrong.
 *
 * @param from where in the file to begin: within a line, its rest is given as one.
 * @returns `undefined` when there is no such file. What is returned has to be read: it is open. The bytes of a line are
 * there until the next one is asked for.
 */
export function fileLines(disk: Disk, path: string, from = 0): AsyncGenerator<Iterable<RawLine>> | undefined {
  const file = openIfExists(disk, path);
  return file === undefined ? undefined : linesOf(disk, file, path, from);
}

async function* linesOf(disk: Disk, file: number, path: string, from: number): AsyncGenerator<Iterable<RawLine>> {
  const chunks = new LineChunks(disk, file, { from });
  try {
    for (let chunk = chunks.next(); chunk !== undefined; chunk = chunks.next()) {
      yield rawLines(chunk.bytes, chunk.start, path);
      await breathe();
    }
    yield changedEnd(disk, file, path, chunks.position);
  } finally {
    chunks.close();
    disk.close(file);
  }
}

function changedEnd(disk: Disk, file: number, path: string, start: number): readonly RawLine[] {
  const bytes = readRange(disk, file, start, Math.max((disk.stat(path)?.size ?? 0) - start, 0));
  // What ends with a newline was appended just now.
  const isChanged = bytes.at(-1) !== newline && isIntact(bytes.subarray(0, -1));
  return isChanged ? [{ start, next: start + bytes.byteLength, bytes }] : [];
}
