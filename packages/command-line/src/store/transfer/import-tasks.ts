import { isResumableError, type Json, type TaskRecord } from "@resumable-mcp/core";
import {
  reduceTask,
  type StoreWriting,
  type TaskBeginning,
  type TaskDraft,
  type TaskEvent,
} from "@resumable-mcp/core/store";
import type { Refused } from "../refused.js";
import { type ExportLine, exportVersion, invalidExport, parseExport, problemOfRecord } from "./export-line.js";

/** What became of the tasks of an exported file. */
export interface ImportReport {
  readonly imported: string[];
  /** They were there already: an import that was interrupted can be repeated. */
  readonly present: string[];
  readonly refused: Refused[];
  /** One that is there stays as it is. */
  readonly documents: { imported: number; present: number };
}

type Lines = AsyncIterable<Buffer>;

/** Where tasks and documents are brought. */
interface Target {
  beginTask(task: TaskBeginning): Promise<TaskDraft>;
  putDocument(document: Parameters<StoreWriting["putDocument"]>[0]): Promise<unknown>;
}

/** Nothing was brought yet. */
export function emptyReport(): ImportReport {
  return { imported: [], present: [], refused: [], documents: { imported: 0, present: 0 } };
}

/**
 * Reads an exported file to its end, and writes nothing.
 *
 * @throws {@link ResumableError} `EXPORT_INVALID` that names the line and the field.
 */
export async function checkExport(lines: Lines): Promise<void> {
  await importTasks(
    { beginTask: async (task) => new CheckedTask(task), putDocument: async () => {} },
    lines,
    emptyReport(),
  );
}

/** A task that goes nowhere. */
class CheckedTask implements TaskDraft {
  readonly id: string;
  record: TaskRecord | undefined;

  constructor({ id, base }: TaskBeginning) {
    this.id = id;
    this.record = base ?? undefined;
  }

  async addItems(): Promise<void> {}

  async addChunk(): Promise<void> {}

  async addEvents(events: readonly TaskEvent[]): Promise<void> {
    if (events.length > 0) this.record = reduceTask(this.record, events);
  }

  async finish(): Promise<boolean> {
    return true;
  }

  async discard(): Promise<void> {}
}

/** A task that is being brought, and how many items of its base the file held. */
interface Coming {
  readonly draft: TaskDraft;
  readonly base: TaskRecord | null;
  items: number;
}

/**
 * Brings the tasks of an exported file into a store, each one whole or not at all. `report` is filled meanwhile.
 *
 * @throws {@link ResumableError} `EXPORT_INVALID`; the tasks before that line are there.
 */
export async function importTasks(writing: Target, lines: Lines, report: ImportReport): Promise<void> {
  let place: "before" | "within" | "over" = "before";
  let coming: Coming | undefined;
  let number = 0;
  let tasks = 0;
  try {
    for await (const bytes of lines) {
      number += 1;
      const line = parseExport(bytes, number);
      if (place !== (line.type === "export" ? "before" : "within")) throw invalidExport(number, "it is out of order");
      if (line.type === "export") {
        refuseVersion(line.version, number);
        place = "within";
      } else if (line.type === "end") {
        if (line.tasks !== tasks) throw invalidExport(number, `tasks is ${line.tasks}, and the file holds ${tasks}`);
        place = "over";
      } else if (line.type === "document") await putDocument(writing, line, report);
      else if (line.type === "task") {
        await coming?.draft.discard();
        coming = { draft: await writing.beginTask(line), base: line.base, items: 0 };
      } else if (coming === undefined) throw invalidExport(number, "it belongs to no task");
      else if (line.type === "items") await addItems(coming, line.items);
      else if (line.type === "chunk")
        await coming.draft.addChunk(line.artifact, line.index, Buffer.from(line.data, "base64"));
      else if (line.type === "events") await addEvents(coming.draft, line.events, number);
      else {
        await endTask(coming, { ...line, number }, report);
        await coming.draft.discard();
        coming = undefined;
        tasks += 1;
      }
    }
    if (place !== "over") throw invalidExport(number + 1, "it is missing: the file was cut short");
  } finally {
    await coming?.draft.discard();
  }
}

/** Two servers that made a document each have both handed it out: the one that is in use here stays. */
async function putDocument(
  writing: Target,
  { kind, id, owner, value, updatedAt }: Extract<ExportLine, { type: "document" }>,
  { documents }: ImportReport,
): Promise<void> {
  const now = { wallMs: Date.parse(updatedAt), monotonicMs: performance.now() };
  try {
    await writing.putDocument({ kind, id, owner, value, expectedVersion: 0, now });
    documents.imported += 1;
  } catch (error) {
    if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    documents.present += 1;
  }
}

function refuseVersion(version: number, number: number): void {
  if (version === exportVersion) return;
  throw invalidExport(number, `it is of version ${version}, and this program reads version ${exportVersion}`);
}

async function addItems(coming: Coming, items: readonly Json[]): Promise<void> {
  coming.items += items.length;
  await coming.draft.addItems(items);
}

async function addEvents(draft: TaskDraft, events: readonly TaskEvent[], number: number): Promise<void> {
  try {
    await draft.addEvents(events);
  } catch (error) {
    if (isResumableError(error, "SEQ_CONFLICT")) throw invalidExport(number, error.message);
    // Of an event that no engine writes the fold can make nothing.
    if (error instanceof TypeError) throw invalidExport(number, "an event is not what a store writes");
    throw error;
  }
}

async function endTask(
  { draft, base, items }: Coming,
  { id, lastSeq, number }: { readonly id: string; readonly lastSeq: number; readonly number: number },
  report: ImportReport,
): Promise<void> {
  const { record } = draft;
  if (record?.id !== id || id !== draft.id || record.lastSeq !== lastSeq) {
    throw invalidExport(number, "it ends another task, or events are missing");
  }
  const problem = problemOfRecord(record);
  if (problem !== undefined) throw invalidExport(number, problem);
  // Those of an earlier generation are not in the file.
  const counted = base?.itemsFromSeq === record.itemsFromSeq ? base.itemCount : 0;
  if (items !== counted)
    throw invalidExport(number, `its task's base.itemCount is ${counted}: the file holds ${items} items`);
  try {
    const isNew = await draft.finish();
    report[isNew ? "imported" : "present"].push(id);
  } catch (error) {
    if (!isResumableError(error)) throw error;
    report.refused.push({ taskId: id, code: error.code, message: error.message });
  }
}
