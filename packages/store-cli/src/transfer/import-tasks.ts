import { isResumableError } from "@resumable-mcp/core";
import type { StoreWriting, TaskDraft, TaskEvent } from "@resumable-mcp/core/store";
import { type ExportLine, exportVersion, invalidExport, isWholeRecord, parseExport } from "./export-line.js";
import type { Refused } from "./export-tasks.js";

/** What became of the tasks of an exported file. */
export interface ImportReport {
  readonly imported: string[];
  /** They were there already: an import that was interrupted can be repeated. */
  readonly present: string[];
  readonly refused: Refused[];
  /** One that is there stays as it is. */
  readonly documents: { imported: number; present: number };
}

/**
 * Brings the tasks of an exported file into a store, each one whole or not at all. `report` is filled meanwhile.
 *
 * @throws {@link ResumableError} `EXPORT_INVALID`; the tasks before that line are there.
 */
export async function importTasks(
  writing: StoreWriting,
  lines: AsyncIterable<Buffer>,
  report: ImportReport,
): Promise<void> {
  let place: "before" | "within" | "over" = "before";
  let draft: TaskDraft | undefined;
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
      else if (line.type === "document") await putDocument(writing, line, report);
      else if (line.type === "task") {
        await draft?.discard();
        draft = await writing.beginTask(line);
      } else if (draft === undefined) throw invalidExport(number, "it belongs to no task");
      else if (line.type === "items") await draft.addItems(line.items);
      else if (line.type === "events") await addEvents(draft, line.events, number);
      else {
        await endTask(draft, { ...line, number }, report);
        await draft.discard();
        draft = undefined;
      }
    }
    if (place !== "over") throw invalidExport(number + 1, "it is missing: the file was cut short");
  } finally {
    await draft?.discard();
  }
}

/** Two servers that made a document each have both handed it out: the one that is in use here stays. */
async function putDocument(
  writing: StoreWriting,
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

async function addEvents(draft: TaskDraft, events: readonly TaskEvent[], number: number): Promise<void> {
  try {
    await draft.addEvents(events);
  } catch (error) {
    if (!isResumableError(error, "SEQ_CONFLICT")) throw error;
    throw invalidExport(number, error.message);
  }
}

async function endTask(
  draft: TaskDraft,
  { id, lastSeq, number }: { readonly id: string; readonly lastSeq: number; readonly number: number },
  report: ImportReport,
): Promise<void> {
  const { record } = draft;
  if (record?.id !== id || id !== draft.id || record.lastSeq !== lastSeq) {
    throw invalidExport(number, "it ends another task, or events are missing");
  }
  if (!isWholeRecord(record)) throw invalidExport(number, "the events of its task are incomplete");
  try {
    const isNew = await draft.finish();
    report[isNew ? "imported" : "present"].push(id);
  } catch (error) {
    if (!isResumableError(error)) throw error;
    report.refused.push({ taskId: id, code: error.code, message: error.message });
  }
}
