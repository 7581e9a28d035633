import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/**
 * Calls back for each line of a stream, and reads on when that has resolved; resolves at the stream's end.
 *
 * Limits: rejects when a line is longer than `maxLineBytes`.
 */
export async function readLines(
  stream: Readable,
  maxLineBytes: number,
  onLine: (line: string) => Promise<void>,
): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const lines = decoder.write(chunk).split("\n");
    for (const [index, text] of lines.entries()) {
      parts.push(text);
      size += text.length;
      if (size > maxLineBytes) throw new Error(`A line is longer than maxLineBytes = ${maxLineBytes}.`);
      if (index === lines.length - 1) break;
      const line = parts.join("");
      parts = [];
      size = 0;
      if (line !== "") await onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    }
  }
}
