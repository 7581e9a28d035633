import { isFinal, isResumableError, ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { isSafeId, shardFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import type { TaskReading } from "../../task/held-task.js";
import { type ExportLine, exportVersion, invalidExport, isWholeRecord, parseExport } from "./export-line.js";
import { ImportDraft } from "./import-draft.js";

/** What became of the tasks of an exported file. */
export interface ImportReport {
  readonly imported: string[];
  /** They were there already: an import that was interrupted can be repeated. */
  readonly present: string[];
  readonly refused: { readonly taskId: string; readonly code: string; readonly message: string }[];
}

/**
 * Brings the tasks of an exported file into a store, each one whole or not at all. `report` is filled meanwhile.
 *
 * @throws {@link ResumableError} `EXPORT_INVALID`; the tasks before that line are there.
 */
export async function importTasks(store: OpenStore, lines: AsyncIterable<Buffer>, report: ImportReport): Promise<void> {
  const importer = new Importer(store, report);
  let number = 0;
  try {
    for await (const bytes of lines) {
      number += 1;
      await importer.take(parseExport(bytes, number), number);
    }
    if (!importer.isOver) throw invalidExport(number + 1, "it is missing: the file was cut short");
  } finally {
    importer.discard();
  }
}

class Importer {
  isOver = false;
  readonly #store: OpenStore;
  readonly #report: ImportReport;
  #draft: ImportDraft | undefined;
  #isBegun = false;

  constructor(store: OpenStore, report: ImportReport) {
    this.#store = store;
    this.#report = report;
  }

  async take(line: ExportLine, number: number): Promise<void> {
    if (this.#isBegun === (line.type === "export") || this.isOver) throw invalidExport(number, "it is in no order");
    if (line.type === "export") this.#begin(line.version, number);
    else if (line.type === "task") this.#beginTask(line);
    else if (line.type === "end") this.isOver = true;
    else if (this.#draft === undefined) throw invalidExport(number, "it belongs to no task");
    else if (line.type === "items") this.#draft.addItems(line.items);
    else if (line.type === "events") this.#addEvents(this.#draft, line.events, number);
    else await this.#endTask(this.#draft, line, number);
  }

  #begin(version: number, number: number): void {
    if (version !== exportVersion) {
      throw invalidExport(number, `it is of version ${version}, and this program reads version ${exportVersion}`);
    }
    this.#isBegun = true;
  }

  #beginTask(line: Extract<ExportLine, { type: "task" }>): void {
    if (!isSafeId(line.id)) throw badId("id");
    this.discard();
    this.#draft = new ImportDraft(this.#store.context, line);
  }

  #addEvents(draft: ImportDraft, events: Parameters<ImportDraft["addEvents"]>[0], number: number): void {
    try {
      draft.addEvents(events);
    } catch (error) {
      if (!isResumableError(error, "SEQ_CONFLICT")) throw error;
      throw invalidExport(number, error.message);
    }
  }

  async #endTask(draft: ImportDraft, { id, lastSeq }: { id: string; lastSeq: number }, number: number) {
    const { record } = draft;
    if (record?.id !== id || id !== draft.id || record.lastSeq !== lastSeq) {
      throw invalidExport(number, "it ends another task, or events are missing");
    }
    if (!isWholeRecord(record)) throw invalidExport(number, "its events make no task");
    try {
      const isNew = await bring(this.#store, draft, record);
      this.#report[isNew ? "imported" : "present"].push(id);
    } catch (error) {
      if (!isResumableError(error)) throw error;
      this.#report.refused.push({ taskId: id, code: error.code, message: error.message });
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#draft?.discard();
    this.#draft = undefined;
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
  const { claim } = keys.look(owner, key);
  if (claim !== undefined && claim.taskId !== id) await keys.refuseRival(id, claim);
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
    `There is another task ${taskId} here, and it stays as it is. Delete it first if the imported one is to take its place.`,
    { details: { taskId } },
  );
}
