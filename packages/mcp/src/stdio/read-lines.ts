import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** How much is kept of each end of a line that is too long. */
const endLength = 1_024;

/**
 * Calls back for each line of a stream, and reads on when that has resolved; resolves at the stream's end.
 *
 * Limits: rejects when a line is longer than `maxLineBytes`, or, where `skip` is given, 16 times as long.
 *
 * @param skip gets both ends of a line that is too long. False: the stream is not read further.
 */
export async function readLines(
  stream: Readable,
  maxLineBytes: number,
  onLine: (line: string) => Promise<void>,
  skip?: (begin: string, end: string) => boolean,
): Promise<void> {
  const decoder = new StringDecoder("utf8");
  const tooLong = () => new Error(`A line is longer than maxLineBytes = ${maxLineBytes}.`);
  let parts: string[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const lines = decoder.write(chunk).split("\n");
    for (const [index, text] of lines.entries()) {
      parts.push(text);
      size += text.length;
      if (size > (skip === undefined ? 1 : 16) * maxLineBytes) throw tooLong();
      if (size > maxLineBytes) {
        const read = parts.join("");
        parts = [read.slice(0, endLength), read.slice(endLength).slice(-endLength)];
      }
      if (index === lines.length - 1) break;
      const isTooLong = size > maxLineBytes;
      const [begin = "", end = ""] = parts;
      const line = isTooLong ? "" : parts.join("");
      parts = [];
      size = 0;
      if (isTooLong && skip?.(begin, end) !== true) throw tooLong();
      if (line !== "") await onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    }
  }
}
