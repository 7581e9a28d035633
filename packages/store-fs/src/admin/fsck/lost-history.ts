import { basename, join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import type { DamagedFile } from "../../disk/checked-line.js";
import { journalName, taskFolder } from "../../disk/layout.js";
import { quarantineCopy, quarantineTask } from "../../disk/quarantine.js";
import { readFrom } from "../../disk/whole-file.js";
import type { ChainEntry } from "../../journal/journal-line.js";
import { chainThrough, lostEnd, newestView } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { parseTaskDocument } from "../../task/task-documents.js";
import type { Fix, Problem } from "./problem.js";
import { moveAside, refuseIfHeld } from "./problem.js";

/**
 * Damage in an older file of a task whose newest one is sound: that one begins with all that the task is, so that the
 * task can go on, and only the events before it are lost to readers.
 *
 * @returns `undefined` where more than events would be lost.
 */
export function lostHistory(reading: TaskReading, damage: DamagedFile): Problem | undefined {
  const { record, view } = reading;
  const taskId = record.id;
  const chain = chainThrough(view);
  const place = chain.findIndex(({ epoch }) => journalName(epoch) === basename(damage.path));
  const damaged = chain[place];
  if (damaged === undefined || damaged.epoch === view.header.epoch) return undefined;
  if (itemsThrough(reading, chain[place + 1]) > itemsInSegments(reading)) return undefined;
  const given = chain.slice(0, place + 1);
  const lost = `events ${(given[0]?.base ?? 0) + 1} to ${damaged.end}`;
  return {
    kind: "damaged",
    severity: "damage",
    taskId,
    path: damage.path,
    message: `${damage.message}; the task is whole without it`,
    fix: {
      description: `go on without ${lost}, in whose place readers get the task as it was after them, and keep ${names(given)} in quarantine/`,
      apply: (repairing) => giveUp(repairing, taskId, given, damage.message),
    },
  };
}

/** Items of the present generation up to a file. */
function itemsThrough({ record, view }: TaskReading, next: ChainEntry | undefined): number {
  const { items, itemsFrom } = next ?? view.header;
  return itemsFrom === record.itemsFromSeq ? items : 0;
}

/** Items of the present generation in files of their own. */
function itemsInSegments({ record, view }: TaskReading): number {
  const own = view.header.segments.filter(({ itemsFrom }) => itemsFrom === record.itemsFromSeq);
  return own.reduce((sum, { count }) => sum + count, 0);
}

function names(files: readonly ChainEntry[]): string {
  return files.map(({ epoch }) => journalName(epoch)).join(", ");
}

/** The files are kept before a new seal leaves them out. */
async function giveUp(store: OpenStore, taskId: string, files: readonly ChainEntry[], problem: string): Promise<void> {
  const { context, reader } = store;
  refuseIfHeld(store, taskId);
  let throughEpoch = 0;
  for (const { epoch } of files) {
    const name = journalName(epoch);
    quarantineCopy(context, join(taskFolder(context.layout, taskId), name), `${taskId}.${name}`, problem);
    throughEpoch = Math.max(throughEpoch, epoch);
  }
  await reader.sealEpoch(taskId, { throughEpoch, segment: undefined });
}

/**
 * A document that shows a later event than the journal holds: the journal lost its end, or the folder was copied while a
 * server ran. A task that had finished must not run again; any other continues from what its journal holds.
 */
export function documentAhead(store: OpenStore, taskId: string, path: string): readonly Problem[] {
  const { context } = store;
  const text = readFrom(context.disk, path)?.toString("utf8");
  const document = text === undefined ? undefined : parseTaskDocument(text);
  // Read after the document: a journal only grows.
  const view = newestView(context, taskId);
  if (document === undefined || view === undefined || document.incarnation !== view.header.incarnation) return [];
  const [shown, held] = [document.record.lastSeq, view.record.lastSeq];
  if (shown <= held) return [];
  const message = `shows event ${shown}, and the journal ends with event ${held}: the journal lost its end, or the folder was copied while a server ran`;
  const goOn: Fix = {
    ...moveAside(path, message, { name: `${taskId}.task.json`, taskId }),
    description: `keep it in quarantine/, and let the task go on from event ${held}`,
  };
  const setAside: Fix = {
    description: `move the task to quarantine/${taskId}`,
    apply: async (repairing) => {
      refuseIfHeld(repairing, taskId);
      quarantineTask(repairing.context, taskId, lostEnd(view, shown));
    },
  };
  const fix = isFinal(document.record.status) ? setAside : goOn;
  return [{ kind: "lost_end", severity: "damage", taskId, path, message, fix }];
}
