import { closeSync, fdatasync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const sync = promisify(fdatasync);

/** The least that keeping lines can cost: nothing but the calls of the system. */
export interface ByteLoop {
  /** Appends the line so many times to each file, one after the other in a file, all files at the same time. */
  run(timesEach: number): Promise<void>;
  close(): void;
}

/**
 * Appends a line to files, synchronously, and nothing else.
 *
 * @param durable waits for an asynchronous `fdatasync` of the file after each line.
 */
export function createByteLoop(directory: string, line: Buffer, files: number, durable: boolean): ByteLoop {
  const open = Array.from({ length: files }, (_, index) => openSync(pathOf(directory, index), "a"));
  return {
    async run(timesEach) {
      if (durable) await Promise.all(open.map((file) => appendDurably(file, line, timesEach)));
      else for (let n = 0; n < timesEach; n++) for (const file of open) writeSync(file, line, 0, line.byteLength, null);
    },
    close: () => open.forEach(closeSync),
  };
}

async function appendDurably(file: number, line: Buffer, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    writeSync(file, line, 0, line.byteLength, null);
    await sync(file);
  }
}

/** Where the loop writes its files. */
export function pathOf(directory: string, index: number): string {
  return join(directory, `lines.${index}`);
}

/** The last line of the last journal file that a store wrote, so that others write the same bytes. */
export function newestLine(directory: string): Buffer {
  const names = readdirSync(join(directory, "tasks"), { recursive: true, encoding: "utf8" });
  const journals = names.filter((name) => /journal\.\d+\.jsonl$/.test(name)).sort();
  const bytes = readFileSync(join(directory, "tasks", journals.at(-1) ?? ""));
  const end = bytes.lastIndexOf(10);
  return bytes.subarray(bytes.lastIndexOf(10, end - 1) + 1, end + 1);
}
