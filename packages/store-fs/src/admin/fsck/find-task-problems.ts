import { basename, join } from "node:path";
import { isFinal, isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { reduceTask } from "@resumable-mcp/core/store";
import { DamagedFile } from "../../disk/checked-line.js";
import { journalName, taskFolder } from "../../disk/layout.js";
import { quarantineCopy, quarantineFile } from "../../disk/quarantine.js";
import { makeNamesDurable } from "../../index/task-creator.js";
import { type ChainEntry, journalLines } from "../../journal/journal-line.js";
import { chainThrough } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { itemLines } from "../../task/journal-reader.js";
import { findFolderProblems } from "./find-folder-problems.js";
import { type Fix, findHolder, type Problem, RepairRefused, refuseIfHeld, setAside } from "./problem.js";

/** Reads all of one task, a file at a time. `listed`: the finished tasks that lists show. */
export async function findTaskProblems(
  store: OpenStore,
  taskId: string,
  listed: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  try {
    const reading = await store.reader.read(taskId);
    if (reading === undefined) return [];
    const others = () => {
      const inFolder = findFolderProblems(store, reading);
      // What is to become of a task whose journal lost its end is decided first.
      if (inFolder.some(({ kind }) => kind === "lost_end")) return inFolder;
      return [...inFolder, ...findUnlisted(store, reading, listed)];
    };
    const damage = damageIn(store, reading);
    if (damage === undefined) return others();
    const lost = lostHistory(reading, damage);
    return lost === undefined ? [damagedTask(store, taskId, damage)] : [lost, ...others()];
  } catch (error) {
    // It finished or was deleted while this looked.
    if (isResumableError(error, "TASK_NOT_FOUND")) return [];
    return [damagedTask(store, taskId, error)];
  }
}

function damagedTask({ context }: OpenStore, taskId: string, error: unknown): Problem {
  const cause = error instanceof Error && error.cause instanceof DamagedFile ? error.cause : error;
  const path = cause instanceof DamagedFile ? cause.path : taskFolder(context.layout, taskId);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!(cause instanceof DamagedFile)) return { kind: "damaged", severity: "damage", taskId, path, message };
  return { kind: "damaged", severity: "damage", taskId, path, message, fix: setAside(taskId, cause) };
}

function damageIn(store: OpenStore, reading: TaskReading): DamagedFile | undefined {
  try {
    checkJournal(store, reading);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFile) return error;
    throw error;
  }
}

/** Reads every line of every file that counts. Where nothing was compacted they fold to the task's record. */
function checkJournal({ context }: OpenStore, { view, record }: TaskReading): void {
  const folder = taskFolder(context.layout, record.id);
  const chain = chainThrough(view);
  const isWhole = chain[0]?.base === 0;
  let folded: TaskRecord | undefined;
  for (const entry of chain) {
    for (const { commit } of journalLines(context, join(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
      if (isWhole) folded = reduceTask(folded, commit.events);
    }
  }
  for (const segment of view.header.segments) for (const _ of itemLines(context, folder, segment));
  if (isWhole && folded?.lastSeq !== record.lastSeq) {
    throw new DamagedFile(view.path, 0, `the journal folds to seq ${folded?.lastSeq}, not to ${record.lastSeq}`);
  }
}

/** A task that was made so short a time ago may be about to be listed. */
const listingGraceMs = 60_000;

/** Tells whether a task is where its status says: marked as open, or listed as finished. */
function findUnlisted(store: OpenStore, reading: TaskReading, listed: ReadonlySet<string>): readonly Problem[] {
  const { disk, layout } = store.context;
  const { record } = reading;
  const isMarked = disk.exists(join(layout.open, record.id));
  if (isMarked ? !isFinal(record.status) : isFinal(record.status) && listed.has(record.id)) return [];
  const isBeingMade = Date.now() - (disk.stat(reading.view.path)?.modifiedMs ?? 0) < listingGraceMs;
  if (isBeingMade || findHolder(store, record.id) !== undefined) return [];
  const taskId = record.id;
  const problem = { kind: "unlisted", taskId, path: taskFolder(layout, taskId) } as const;
  if (!isFinal(record.status)) {
    const description = "mark it as open, if its call has no other task";
    const fix: Fix = { description, apply: (repairing) => mark(repairing, record) };
    if (isUnclaimed(store, reading)) {
      const message = "its maker died before any caller knew of it: it is removed when a finished task would be";
      return [{ ...problem, severity: "harmless", message, fix }];
    }
    const message = "unfinished, and not marked as open: no server looks at it";
    return [{ ...problem, severity: "damage", message, fix }];
  }
  const message = isMarked ? "finished, and still marked as open" : "finished, and in no list";
  const fix: Fix = { description: "list it as finished", apply: (repairing) => list(repairing, record) };
  // A server that lists open tasks puts right what is marked; what no list shows is never swept either.
  return [{ ...problem, severity: isMarked ? "harmless" : "damage", message, fix }];
}

/** No caller knows of a task that does not have its call. */
function isUnclaimed({ keys }: OpenStore, { record: { id, owner, key }, view }: TaskReading): boolean {
  if (view.header.epoch > 1 || key === null) return false;
  const { claim, isDoubtful } = keys.look(owner, key);
  return claim?.taskId !== id && !isDoubtful;
}

async function list(store: OpenStore, { id, lastSeq }: TaskRecord): Promise<void> {
  refuseIfHeld(store, id);
  const now = await store.reader.require(id);
  if (now.record.lastSeq !== lastSeq) return;
  store.finished.repair(now.record, now.view.header.incarnation, () => store.reader.isStill(now));
  await store.finished.idle();
}

/** A call has one unfinished task: where there is another one, this one was never shown to a caller. */
async function mark(store: OpenStore, record: TaskRecord): Promise<void> {
  refuseIfHeld(store, record.id);
  try {
    const claim = record.key === null ? undefined : store.keys.look(record.owner, record.key).claim;
    if (claim?.taskId !== record.id) await store.keys.claimAgain(record);
    await makeNamesDurable(store, record);
  } catch (error) {
    if (!isResumableError(error, "KEY_TAKEN")) throw error;
    if (record.lastSeq > 1) throw new RepairRefused(error.message);
    // Its maker died before any caller knew of it.
    const path = taskFolder(store.context.layout, record.id);
    quarantineFile(store.context, path, record.id, "a task that no caller has seen: another task has its call");
  }
}

/**
 * Damage in an older file of a task whose newest one is sound: that one begins with all that the task is, so that the
 * task can go on, and only the events before it are lost to readers.
 *
 * @returns `undefined` where more than events would be lost.
 */
function lostHistory(reading: TaskReading, damage: DamagedFile): Problem | undefined {
  const { record, view } = reading;
  const taskId = record.id;
  const chain = chainThrough(view);
  const place = chain.findIndex(({ epoch }) => journalName(epoch) === basename(damage.path));
  const damaged = chain[place];
  if (damaged === undefined || damaged.epoch === view.header.epoch) return undefined;
  if (itemsThrough(reading, chain[place + 1]) > itemsInSegments(reading)) return undefined;
  const given = chain.slice(0, place + 1);
  const lost = `events ${(given[0]?.base ?? 0) + 1} to ${damaged.end}`;
  const files = given.map(({ epoch }) => journalName(epoch)).join(", ");
  const description = `continue without ${lost} (readers get a snapshot of the task instead of them), and keep ${files} in quarantine/`;
  const fix: Fix = { description, apply: (repairing) => giveUp(repairing, taskId, given, damage.message) };
  const message = `${damage.message}; the task is whole without it`;
  return { kind: "damaged", severity: "damage", taskId, path: damage.path, message, fix };
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

/** The files are kept before a new seal leaves them out. */
async function giveUp(store: OpenStore, taskId: string, files: readonly ChainEntry[], problem: string): Promise<void> {
  const { context, reader } = store;
  refuseIfHeld(store, taskId);
  for (const { epoch } of files) {
    const name = journalName(epoch);
    quarantineCopy(context, join(taskFolder(context.layout, taskId), name), `${taskId}.${name}`, problem);
  }
  const throughEpoch = Math.max(...files.map(({ epoch }) => epoch));
  await reader.sealEpoch(taskId, { throughEpoch, segment: undefined });
}
