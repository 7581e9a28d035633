import { invalidExport } from "./export-line.js";

/** The longest line of an exported file: a page of events, each of which may be as large as a commit. */
const maxExportLineBytes = 256 * 1024 * 1024;
const newline = 10;

/** Cuts a stream into lines, each with its newline; what follows the last one comes without. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      yield Buffer.concat([...parts, rest.subarray(0, end + 1)]);
      number += 1;
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.byteLength > 0) parts.push(rest);
    length += rest.byteLength;
    if (length > maxExportLineBytes) throw invalidExport(number, `it is longer than ${maxExportLineBytes} bytes`);
  }
  if (length > 0) yield Buffer.concat(parts);
}
