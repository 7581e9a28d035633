import { join } from "node:path";
import { DamagedFile } from "../../disk/checked-line.js";
import { fileLines } from "../../disk/file-lines.js";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { quarantineCopy, quarantinedAt } from "../../disk/quarantine.js";
import { listIfExists, unlinkIfExists } from "../../disk/whole-file.js";
import { replaceFinishedFile, takeFinishedFile } from "../../index/finished-compaction.js";
import { parseFinished, parseFinishedName, takenName } from "../../index/finished-line.js";
import type { OpenStore } from "../../open-store.js";
import { foreignFile } from "./find-claim-problems.js";
import { leftDraft, type Problem, RepairRefused } from "./problem.js";

/** Markers of tasks that are not there. */
export function findMarkerProblems({ context }: OpenStore): readonly Problem[] {
  const { disk, layout } = context;
  return (listIfExists(disk, layout.open) ?? []).flatMap((taskId): readonly Problem[] => {
    const path = join(layout.open, taskId);
    if (!isSafeId(taskId)) return [foreignFile(path)];
    if (disk.exists(taskFolder(layout, taskId))) return [];
    const message = "marks a task as open that is not there";
    const apply = async ({ context }: OpenStore) => {
      if (!context.disk.exists(taskFolder(layout, taskId))) unlinkIfExists(context.disk, path);
    };
    const wasKept = quarantinedAt(context, taskId) !== undefined;
    const fix = { description: "remove the marker, which is empty", apply };
    return [
      {
        kind: "stale_marker",
        severity: "harmless",
        taskId,
        path,
        message: wasKept ? `${message} any more` : message,
        fix,
      },
    ];
  });
}

/** Reads the lists of finished tasks. */
export async function findListProblems({ context }: OpenStore): Promise<readonly Problem[]> {
  const { disk, layout } = context;
  const found: Problem[] = [];
  for (const name of listIfExists(disk, layout.done) ?? []) {
    const path = join(layout.done, name);
    if (name.startsWith(".draft.")) found.push(...leftDraft(context, path));
    else if (parseFinishedName(name) === undefined) found.push(foreignFile(path));
    else found.push(...(await damagedLines(context, path, name)));
  }
  return found;
}

async function damagedLines(context: OpenStore["context"], path: string, name: string): Promise<readonly Problem[]> {
  const { damaged } = await sortLines(context, path);
  if (damaged === 0) return [];
  const message = `${damaged} lines cannot be read; the tasks themselves have all`;
  const description = `keep the file in quarantine/${name}, and write its good lines again`;
  const fix = { description, apply: (store: OpenStore) => rewrite(store, name, message) };
  return [{ kind: "damaged_list", severity: "damage", path, message, fix }];
}

async function sortLines(context: OpenStore["context"], path: string) {
  const good: Buffer[] = [];
  let damaged = 0;
  try {
    for await (const lines of fileLines(context.disk, path) ?? []) {
      for (const line of lines) {
        if (parseFinished(line) === undefined) damaged += 1;
        else good.push(Buffer.concat([line.bytes, Buffer.from("\n")]));
      }
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    damaged += 1;
  }
  return { good, damaged };
}

async function rewrite({ context, workers }: OpenStore, name: string, problem: string): Promise<void> {
  const { instance: maker = "", day = "" } = parseFinishedName(name) ?? {};
  if (workers.isInstanceAlive(maker)) throw new RepairRefused(`a live process (${maker}) appends to it; stop it first`);
  // Only one process can take the file over, as a server does that compacts the finished index.
  const mine = takenName(context, name, day);
  await takeFinishedFile(context, name, mine);
  const taken = join(context.layout.done, mine);
  const { good } = await sortLines(context, taken);
  quarantineCopy(context, taken, name, problem);
  await replaceFinishedFile(context, mine, good);
}
