import { join } from "node:path";
import { z } from "zod";
import { DamagedFile, decodeLine, type RawLine, rawLines } from "../disk/checked-line.js";
import { LineChunks } from "../disk/file-lines.js";
import { isSafeId, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, openIfExists } from "../disk/whole-file.js";

/** What the journals of a folder say of its layout: `none` where there is no journal, `unreadable` where none can be read. */
export type JournalsLayout = number | "none" | "unreadable";

const headerSchema = z.object({ layout: z.number(), taskId: z.string() });

/** Reads journals until the first line of one tells the layout. */
export function layoutOfJournals(context: StoreContext): JournalsLayout {
  let result: JournalsLayout = "none";
  for (const path of journalsIn(context)) {
    const layout = layoutOf(context, path);
    if (layout !== undefined) return layout;
    result = "unreadable";
  }
  return result;
}

function* journalsIn({ disk, layout }: StoreContext): Generator<string> {
  for (const shard of listIfExists(disk, layout.tasks) ?? []) {
    for (const id of listIfExists(disk, join(layout.tasks, shard)) ?? []) {
      if (!isSafeId(id)) continue;
      const folder = taskFolder(layout, id);
      const names = listIfExists(disk, folder) ?? [];
      yield* names.filter((name) => /^journal\.\d+\.jsonl$/.test(name)).map((name) => join(folder, name));
    }
  }
}

function layoutOf({ disk }: StoreContext, path: string): number | undefined {
  const file = openIfExists(disk, path);
  if (file === undefined) return undefined;
  const chunks = new LineChunks(disk, file, {});
  try {
    const chunk = chunks.next();
    const line = chunk === undefined ? undefined : firstLine(chunk.bytes, path);
    return line === undefined ? undefined : headerSchema.safeParse(decodeLine(line, path)).data?.layout;
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  } finally {
    chunks.close();
    disk.close(file);
  }
}

function firstLine(bytes: Buffer, path: string): RawLine | undefined {
  for (const line of rawLines(bytes, 0, path)) return line;
  return undefined;
}
