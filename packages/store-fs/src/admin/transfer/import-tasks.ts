import { isFinal, isResumableError, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import { isSafeId, shardFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { exportVersion, invalidExport, isWholeRecord, parseExport } from "./export-line.js";
import type { Refused } from "./export-tasks.js";
import { ImportDraft } from "./import-draft.js";

/** What became of the tasks of an exported file. */
export interface ImportReport {
  readonly imported: string[];
  /** They were there already: an import that was interrupted can be repeated. */
  readonly present: string[];
  readonly refused: Refused[];
}

/**
 * Brings the tasks of an exported file into a store, each one whole or not at all. `report` is filled meanwhile.
 *
 * @throws {@link ResumableError} `EXPORT_INVALID`; the tasks before that line are there.
 */
export async function importTasks(store: OpenStore, lines: AsyncIterable<Buffer>, report: ImportReport): Promise<void> {
  let place: "before" | "within" | "over" = "before";
  let draft: ImportDraft | undefined;
  let number = 0;
  try {
    for await (const bytes of lines) {
      number += 1;
      const line = parseExport(bytes, number);
      if (place !== (line.type === "export" ? "before" : "within")) throw invalidExport(number, "it is out of order");
      if (line.type === "export") {
        refuseVersion(line.version, number);
        place = "within";
      } else if (line.type === "end") place = "over";
      else if (line.type === "task") {
        if (!isSafeId(line.id)) throw badId("id");
        draft?.discard();
        draft = new ImportDraft(store.context, line);
      } else if (draft === undefined) throw invalidExport(number, "it belongs to no task");
      else if (line.type === "items") draft.addItems(line.items);
      else if (line.type === "events") addEvents(draft, line.events, number);
      else {
        await endTask(store, draft, { ...line, number }, report);
        draft.discard();
        draft = undefined;
      }
    }
    if (place !== "over") throw invalidExport(number + 1, "it is missing: the file was cut short");
  } finally {
    draft?.discard();
  }
}

function refuseVersion(version: number, number: number): void {
  if (version === exportVersion) return;
  throw invalidExport(number, `it is of version ${version}, and this program reads version ${exportVersion}`);
}

function addEvents(draft: ImportDraft, events: readonly TaskEvent[], number: number): void {
  try {
    draft.addEvents(events);
  } catch (error) {
    if (!isResumableError(error, "SEQ_CONFLICT")) throw error;
    throw invalidExport(number, error.message);
  }
}

async function endTask(
  store: OpenStore,
  draft: ImportDraft,
  { id, lastSeq, number }: { readonly id: string; readonly lastSeq: number; readonly number: number },
  report: ImportReport,
): Promise<void> {
  const { record } = draft;
  if (record?.id !== id || id !== draft.id || record.lastSeq !== lastSeq) {
    throw invalidExport(number, "it ends another task, or events are missing");
  }
  if (!isWholeRecord(record)) throw invalidExport(number, "the events of its task are incomplete");
  try {
    const isNew = await bring(store, draft, record);
    report[isNew ? "imported" : "present"].push(id);
  } catch (error) {
    if (!isResumableError(error)) throw error;
    report.refused.push({ taskId: id, code: error.code, message: error.message });
  }
}

/** Moves a task into place, and then lists it: what an interruption leaves undone in between, a repetition does. */
async function bring(store: OpenStore, draft: ImportDraft, record: TaskRecord): Promise<boolean> {
  const there = await store.reader.read(record.id);
  if (there !== undefined) {
    if (!isSame(there.record, record)) throw taskExists(record.id);
    await list(store, there);
    return false;
  }
  await refuseRival(store, record);
  await draft.finish(record);
  draft.publish();
  store.context.observe("store.create.published", record.id);
  try {
    await list(store, await store.reader.require(record.id));
  } catch (error) {
    if (isResumableError(error, "KEY_TAKEN")) draft.withdraw();
    throw error;
  }
  return true;
}

/** Ids are not to be guessed: a task of the same id that was made at the same time is the same one. */
function isSame(there: TaskRecord, record: TaskRecord): boolean {
  return there.createdAt === record.createdAt && there.owner === record.owner && there.tool === record.tool;
}

async function refuseRival({ keys }: OpenStore, { id, owner, key, status }: TaskRecord): Promise<void> {
  if (key === null || isFinal(status)) return;
  await keys.refuseRival(id, keys.look(owner, key).claim);
}

/** An unfinished task gets its call from now on; a finished one only where no other task has it. */
async function list(store: OpenStore, reading: TaskReading): Promise<void> {
  const { context, finished, notifications, keys, reader } = store;
  const { record, view } = reading;
  const { id, owner, key, status } = record;
  const claim = key === null ? undefined : keys.look(owner, key).claim;
  const isFree = key !== null && (isFinal(status) ? claim === undefined : claim?.taskId !== id);
  if (isFree) await keys.claimAgain(record);
  if (isFinal(status)) {
    finished.repair(record, view.header.incarnation, () => reader.isStill(reading));
    await finished.idle();
  } else finished.reopen(id);
  if (context.durable) {
    const { disk, layout } = context;
    for (const folder of [shardFolder(layout, id), layout.tasks, layout.open]) await disk.syncFolder(folder);
  }
  notifications.notify(id, "runnable");
}

function taskExists(taskId: string): ResumableError {
  return new ResumableError(
    "TASK_EXISTS",
    `The store has another task ${taskId}, which stays as it is. To import this one in its place, delete the other one first.`,
    { details: { taskId } },
  );
}
