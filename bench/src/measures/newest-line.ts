import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The last line of the last journal file that a store wrote, so that others write the same bytes. */
export function newestLine(directory: string): Buffer {
  const names = readdirSync(join(directory, "tasks"), { recursive: true, encoding: "utf8" });
  const journals = names.filter((name) => /journal\.\d+\.jsonl$/.test(name)).sort();
  const bytes = readFileSync(join(directory, "tasks", journals.at(-1) ?? ""));
  const end = bytes.lastIndexOf(10);
  return bytes.subarray(bytes.lastIndexOf(10, end - 1) + 1, end + 1);
}
