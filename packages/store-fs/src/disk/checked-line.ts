import { crc32 } from "node:zlib";

/** Something on the disk is not what was written there. */
export class DamagedFile extends Error {
  override readonly name: string = "DamagedFile";
  readonly path: string;
  readonly offset: number;

  constructor(path: string, offset: number, reason: string) {
    super(`${path}: ${reason} at byte ${offset}`);
    this.path = path;
    this.offset = offset;
  }
}

/** A file that only grows has become shorter than this process has read it. */
export class ShrunkFile extends DamagedFile {
  override readonly name = "ShrunkFile";
  readonly incarnation: string;
  /** How much of the file is known to have counted. */
  readonly known: number;

  constructor(
    path: string,
    offset: number,
    { incarnation, known }: { readonly incarnation: string; readonly known: number },
  ) {
    super(path, offset, `the file became shorter: ${known} bytes were read before, and now it ends`);
    this.incarnation = incarnation;
    this.known = known;
  }
}

// {"crc":"1a2b3c4d",…}: the checksum covers everything behind the comma, so that a line is one JSON object.
const head = Buffer.from('{"crc":"00000000",');
const sumStart = head.indexOf("0");
const sumEnd = head.lastIndexOf("0") + 1;
const digits = Buffer.from("0123456789abcdef");
const newline = 10;

/** Short lines are written one after the other into memory that is allocated for many of them. */
let pool = Buffer.allocUnsafeSlow(64 * 1024);
let used = 0;
/** UTF-8 takes at most so many bytes for each unit of a string: with this room, nothing has to be counted first. */
const maxUnitBytes = 3;

/** Writes an object, given as JSON, as one line with a checksum. */
export function encodeLine(json: string): Buffer {
  const room = head.byteLength + maxUnitBytes * json.length;
  if (room > pool.byteLength) {
    return encodeAt(Buffer.allocUnsafeSlow(head.byteLength + Buffer.byteLength(json)), 0, json);
  }
  if (room > pool.byteLength - used) {
    pool = Buffer.allocUnsafeSlow(pool.byteLength);
    used = 0;
  }
  const line = encodeAt(pool, used, json);
  used += line.byteLength;
  return line;
}

function encodeAt(bytes: Buffer, start: number, json: string): Buffer {
  // The head takes the place of the opening brace, the newline is one more.
  const body = start + head.byteLength;
  const end = body - 1 + bytes.write(json, body - 1);
  bytes.set(head, start);
  bytes[end] = newline;
  const sum = crc32(bytes.subarray(body, end));
  for (let place = sumStart; place < sumEnd; place += 1) bytes[start + place] = digitAt(sum, place);
  return bytes.subarray(start, end + 1);
}

/** The hexadecimal digit of a checksum that stands at a place of its line. */
function digitAt(sum: number, place: number): number {
  return digits[(sum >>> (4 * (sumEnd - 1 - place))) & 15] ?? 0;
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
  if (line.byteLength <= head.byteLength) return false;
  const sum = crc32(line.subarray(head.byteLength));
  for (let place = 0; place < head.byteLength; place += 1) {
    const isDigit = place >= sumStart && place < sumEnd;
    if (line[place] !== (isDigit ? digitAt(sum, place) : head[place])) return false;
  }
  return true;
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
