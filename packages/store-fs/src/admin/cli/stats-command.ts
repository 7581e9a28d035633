import { join } from "node:path";
import type { Disk } from "../../disk/disk.js";
import { listIfExists } from "../../disk/whole-file.js";
import type { OpenStore } from "../../open-store.js";
import type { CommandResult } from "./command.js";

/** Counts what a store holds, and how large its files are. */
export async function statsCommand({ context, lists }: OpenStore): Promise<CommandResult> {
  const { disk, layout } = context;
  const counts = await lists.countTasks({});
  const namesIn = (folder: string) => listIfExists(disk, folder) ?? [];
  const json = {
    store: layout.directory,
    bytes: bytesIn(disk, layout.directory),
    ...counts,
    unfinished: namesIn(layout.open).length,
    sessions: namesIn(layout.sessions).length,
    workers: namesIn(layout.workers).length,
    quarantined: namesIn(layout.quarantine).filter((name) => disk.stat(join(layout.quarantine, name))?.isFolder).length,
  };
  const byName = (group: object) => Object.entries(group).map(([name, count]) => `  ${name}: ${count}`);
  const text = [
    `${json.total} tasks in ${json.store}, ${json.unfinished} unfinished, ${json.bytes} bytes`,
    ...byName(counts.byStatus),
    "by tool",
    ...byName(counts.byTool),
    `${json.sessions} sessions, ${json.workers} workers, ${json.quarantined} quarantined`,
  ].join("\n");
  return { json, text, ok: true };
}

/** The sum of the sizes of all files; one that goes while this looks counts for nothing. */
function bytesIn(disk: Disk, path: string): number {
  const stat = disk.stat(path);
  if (stat?.isFolder !== true) return stat?.size ?? 0;
  return (listIfExists(disk, path) ?? []).reduce((sum, name) => sum + bytesIn(disk, join(path, name)), 0);
}
