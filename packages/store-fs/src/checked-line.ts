import { crc32 } from "node:zlib";

/** Something on the disk is not what was written there. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";
  readonly path: string;
  readonly offset: number;

  constructor(path: string, offset: number, reason: string) {
    super(`${path}: ${reason} at byte ${offset}`);
    this.path = path;
    this.offset = offset;
  }
}

// {"crc":"1a2b3c4d",…}: the checksum covers everything behind the comma, so that a line is one JSON object.
const head = Buffer.from('{"crc":"');
const neck = Buffer.from('",');
const bodyStart = head.byteLength + 8 + neck.byteLength;
const newline = 10;

/** Writes an object, given as JSON, as one line with a checksum. */
export function encodeLine(json: string): Buffer {
  const rest = `${json.slice(1)}\n`;
  const bytes = Buffer.allocUnsafe(bodyStart + Buffer.byteLength(rest));
  const end = bytes.write(rest, bodyStart);
  const sum = crc32(bytes.subarray(bodyStart, bodyStart + end - 1))
    .toString(16)
    .padStart(8, "0");
  bytes.write(`{"crc":"${sum}",`, 0, "latin1");
  return bytes;
}

/** One line: where it begins, where the next one does, and its bytes without the newline. */
export interface RawLine {
  readonly start: number;
  readonly next: number;
  readonly bytes: Buffer;
}

/**
 * Cuts bytes into lines. What follows the last newline is a write that was cut short, and is left out.
 *
 * @param offset where in the file the bytes begin.
 * @throws {@link DamagedFile} when that last piece was a complete line, whose newline was changed.
 */
export function* rawLines(bytes: Buffer, offset: number, path: string): Generator<RawLine> {
  let start = 0;
  while (start < bytes.byteLength) {
    const end = bytes.indexOf(newline, start);
    if (end < 0) {
      if (isIntact(bytes.subarray(start, -1))) throw new DamagedFile(path, offset + bytes.byteLength - 1, "no newline");
      return;
    }
    yield { start: offset + start, next: offset + end + 1, bytes: bytes.subarray(start, end) };
    start = end + 1;
  }
}

/** Tells whether a line's checksum is right. */
export function isIntact(line: Buffer): boolean {
  if (line.byteLength <= bodyStart || !line.subarray(0, head.byteLength).equals(head)) return false;
  if (!line.subarray(bodyStart - neck.byteLength, bodyStart).equals(neck)) return false;
  return line.toString("latin1", head.byteLength, head.byteLength + 8) === checksum(line.subarray(bodyStart));
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

/** Parses a line whose checksum is right. @throws {@link DamagedFile} otherwise. */
export function decodeLine(line: RawLine, path: string): unknown {
  if (!isIntact(line.bytes)) throw new DamagedFile(path, line.start, "a line's checksum is wrong");
  return JSON.parse(line.bytes.toString("utf8"));
}

/** Parses a file that is one line with a checksum; `undefined` when it is not what was written there. */
export function decodeWhole(bytes: Buffer): unknown {
  if (bytes.indexOf(newline) !== bytes.byteLength - 1) return undefined;
  const line = bytes.subarray(0, -1);
  return isIntact(line) ? JSON.parse(line.toString("utf8")) : undefined;
}
