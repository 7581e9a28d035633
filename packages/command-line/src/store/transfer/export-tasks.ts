import { ResumableError, type TaskRecord } from "@resumable-mcp/core";
import { artifactsOf, type StoreAdmin, storeErrors } from "@resumable-mcp/core/store";
import { type Refused, refusedFor } from "../refused.js";
import { encodeExport, exportVersion } from "./export-line.js";

const pageSize = 256;
const maxAttempts = 3;

/** Takes the next line of the file. */
type Write = (line: Buffer) => Promise<void>;

type Reading = StoreAdmin["reading"];

/** What became of the tasks that were to be exported. */
export interface ExportReport {
  readonly tasks: number;
  readonly documents: number;
  readonly refused: readonly Refused[];
}

/**
 * Writes tasks as lines, each as it is when its turn comes. The store is only read. A task that cannot be read hinders
 * no other: what was written of it has no end, and an import leaves it out.
 */
export async function exportTasks(
  admin: StoreAdmin,
  taskIds: Iterable<string> | AsyncIterable<string>,
  withDocuments: boolean,
  write: Write,
): Promise<ExportReport> {
  await write(encodeExport({ type: "export", format: "resumable-mcp-tasks", version: exportVersion }));
  let tasks = 0;
  const refused = new Map<string, Refused>();
  for await (const taskId of taskIds) {
    try {
      await exportTask(admin.reading, taskId, write);
      tasks += 1;
    } catch (error) {
      refused.set(taskId, refusedFor(taskId, error));
    }
  }
  let documents = 0;
  if (withDocuments) {
    for await (const { version: _, ...document } of admin.documents()) {
      await write(encodeExport({ type: "document", ...document }));
      documents += 1;
    }
  }
  await write(encodeExport({ type: "end", tasks }));
  return { tasks, documents, refused: [...refused.values()] };
}

/** Errors of the store and of the file system concern one task; anything else is a defect of this program. */
/** A journal may be compacted between two pages, and a file be replaced: then the task begins again in the file. */
async function exportTask(store: Reading, taskId: string, write: Write): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) if (await tryTask(store, taskId, write)) return;
  throw new ResumableError("ILLEGAL_TRANSITION", `Task ${taskId} changed while it was read. Export it again.`, {
    details: { taskId, status: "running", wanted: "export" },
  });
}

async function tryTask(reading: Reading, taskId: string, write: Write): Promise<boolean> {
  const snapshot = await reading.getTask(taskId);
  if (snapshot === undefined) throw storeErrors.taskNotFound(taskId);
  const { record, signals } = snapshot;
  let page = await reading.readEvents(taskId, { afterSeq: 0, limit: pageSize });
  await write(encodeExport({ type: "task", id: taskId, base: page.snapshot ?? null, signals: [...signals] }));
  if (page.snapshot !== undefined) await exportItems(reading, page.snapshot, record, write);
  for (;;) {
    const events = page.events.filter(({ seq }) => seq <= record.lastSeq);
    if (events.length > 0) await write(encodeExport({ type: "events", events }));
    const afterSeq = page.events.at(-1)?.seq ?? page.snapshot?.lastSeq ?? 0;
    if (afterSeq >= record.lastSeq) break;
    page = await reading.readEvents(taskId, { afterSeq, limit: pageSize });
    if (page.snapshot !== undefined) return false;
  }
  for (const { artifact, name, bytes } of artifactsOf(record)) {
    let read = 0;
    for (let index = 0; ; index += 1) {
      const chunk = await reading.readChunk(taskId, artifact, index);
      if (chunk === undefined) break;
      read += chunk.byteLength;
      await write(encodeExport({ type: "chunk", artifact, index, data: Buffer.from(chunk).toString("base64") }));
    }
    // Sealed bytes are more.
    if (read >= bytes) continue;
    const now = await reading.getTask(taskId);
    if (now?.record.lastSeq !== record.lastSeq) return false;
    throw storeErrors.damagedArtifact(taskId, name);
  }
  await write(encodeExport({ type: "task_end", id: taskId, lastSeq: record.lastSeq }));
  return true;
}

/** The items of compacted journals are in no event any more; those of an earlier generation are not needed. */
async function exportItems(
  reading: Reading,
  { itemCount, itemsFromSeq }: TaskRecord,
  record: TaskRecord,
  write: Write,
): Promise<void> {
  if (itemsFromSeq !== record.itemsFromSeq) return;
  for (let after = 0; after < itemCount; ) {
    const limit = Math.min(pageSize, itemCount - after);
    const { items, next } = await reading.readItems(record.id, { after, limit });
    await write(encodeExport({ type: "items", items: [...items] }));
    after = next;
  }
}
