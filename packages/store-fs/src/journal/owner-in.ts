import { join } from "node:path";
import { z } from "zod";
import { decodeWhole } from "../disk/checked-line.js";
import type { Disk } from "../disk/disk.js";
import { journalFiles } from "../disk/layout.js";
import { readFrom } from "../disk/whole-file.js";

/** What the first line of a journal file says, or the second one of a task's first file. */
const ownedSchema = z.union([
  z.object({ record: z.object({ owner: z.string() }) }).transform(({ record }) => record.owner),
  z
    .object({ events: z.array(z.object({ task: z.object({ owner: z.string() }).optional() })) })
    .transform(({ events }) => events[0]?.task?.owner),
]);

/** Whose task a folder holds whose files are damaged, as far as a line is left that says it. */
export function ownerIn(disk: Disk, folder: string): string | undefined {
  for (const epoch of journalFiles.list(disk, folder)) {
    const bytes = readFrom(disk, join(folder, journalFiles.nameOf(epoch))) ?? Buffer.alloc(0);
    const first = bytes.indexOf("\n") + 1;
    const lines = [bytes.subarray(0, first), bytes.subarray(first, bytes.indexOf("\n", first) + 1)];
    for (const line of lines) {
      const owner = ownedSchema.safeParse(decodeWhole(line)).data;
      if (owner !== undefined) return owner;
    }
  }
  return undefined;
}
