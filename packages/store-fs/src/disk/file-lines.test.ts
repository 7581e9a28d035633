import { expect, test } from "vitest";
import { MemoryDisk } from "../testing/memory-disk.js";
import { encodeLine, isIntact } from "./checked-line.js";
import { fileLines } from "./file-lines.js";
import { createFile } from "./whole-file.js";

const line = encodeLine('{"n":1}');

/** Which lines of a file are given, and whether each is what was written. */
async function linesOf(bytes: Buffer): Promise<readonly boolean[]> {
  const disk = new MemoryDisk();
  disk.makeFolder("/a");
  createFile(disk, "/a/file", bytes);
  const found: boolean[] = [];
  for await (const lines of fileLines(disk, "/a/file") ?? [])
    for (const { bytes } of lines) found.push(isIntact(bytes));
  return found;
}

test.each([
  ["whole lines", Buffer.concat([line, line]), [true, true]],
  ["a last line that was cut short", Buffer.concat([line, line.subarray(0, -3)]), [true]],
  ["a last line without its newline", Buffer.concat([line, line.subarray(0, -1)]), [true]],
  [
    "a last line whose newline was changed",
    Buffer.concat([line, line.subarray(0, -1), Buffer.from("\v")]),
    [true, false],
  ],
])("gives %s", async (_, bytes, expected) => {
  expect(await linesOf(bytes)).toEqual(expected);
});
