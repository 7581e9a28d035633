import { isResumableError, ResumableError, type Store, type TaskRecord } from "@resumable-mcp/core";
import { taskNotFound } from "../../disk/store-errors.js";
import { encodeExport, exportVersion } from "./export-line.js";

/** What an export reads: any store has it. */
export type ExportSource = Pick<Store, "getTask" | "readEvents" | "readItems">;

const pageSize = 256;
const maxAttempts = 3;

/** Why a task is not in an exported file. */
export interface NotExported {
  readonly taskId: string;
  readonly code: string;
  readonly message: string;
}

/** What became of the tasks that were to be exported. */
export interface ExportReport {
  readonly tasks: number;
  readonly refused: readonly NotExported[];
}

/**
 * Writes tasks as lines, each as it is when its turn comes. The store is only read. A task that cannot be read hinders
 * no other: what was written of it has no end, and an import leaves it out.
 */
export async function* exportTasks(
  source: ExportSource,
  taskIds: AsyncIterable<string>,
): AsyncGenerator<Buffer, ExportReport> {
  yield encodeExport({ type: "export", format: "resumable-mcp-tasks", version: exportVersion });
  let tasks = 0;
  const refused = new Map<string, NotExported>();
  for await (const taskId of taskIds) {
    try {
      yield* exportTask(source, taskId);
      tasks += 1;
    } catch (error) {
      refused.set(taskId, notExported(taskId, error));
    }
  }
  yield encodeExport({ type: "end", tasks });
  return { tasks, refused: [...refused.values()] };
}

/** Errors of the store and of the file system concern one task; anything else is a defect of this program. */
function notExported(taskId: string, error: unknown): NotExported {
  if (isResumableError(error)) return { taskId, code: error.code, message: error.message };
  if (!(error instanceof Error) || !("code" in error)) throw error;
  return { taskId, code: String(error.code), message: error.message };
}

/** A journal may be compacted between two pages: then the task begins again in the file. */
async function* exportTask(source: ExportSource, taskId: string): AsyncGenerator<Buffer> {
  for (let attempt = 1; ; attempt += 1) {
    const isWhole = yield* tryTask(source, taskId);
    if (isWhole) return;
    if (attempt === maxAttempts) throw compacted(taskId);
  }
}

function compacted(taskId: string): ResumableError {
  return new ResumableError("ILLEGAL_TRANSITION", `Task ${taskId} was compacted while it was read. Export it again.`, {
    details: { taskId, status: "running", wanted: "export" },
  });
}

async function* tryTask(source: ExportSource, taskId: string): AsyncGenerator<Buffer, boolean> {
  const snapshot = await source.getTask(taskId);
  if (snapshot === undefined) throw taskNotFound(taskId);
  const { record, signals } = snapshot;
  let page = await source.readEvents(taskId, { afterSeq: 0, limit: pageSize });
  yield encodeExport({ type: "task", id: taskId, base: page.snapshot ?? null, signals: [...signals] });
  if (page.snapshot !== undefined) yield* exportItems(source, page.snapshot, record);
  for (;;) {
    const events = page.events.filter(({ seq }) => seq <= record.lastSeq);
    if (events.length > 0) yield encodeExport({ type: "events", events });
    const afterSeq = page.events.at(-1)?.seq ?? page.snapshot?.lastSeq ?? 0;
    if (afterSeq >= record.lastSeq) break;
    page = await source.readEvents(taskId, { afterSeq, limit: pageSize });
    if (page.snapshot !== undefined) return false;
  }
  yield encodeExport({ type: "task_end", id: taskId, lastSeq: record.lastSeq });
  return true;
}

/** The items of compacted journals are in no event any more; those of an earlier generation are not needed. */
async function* exportItems(
  source: ExportSource,
  { itemCount, itemsFromSeq }: TaskRecord,
  record: TaskRecord,
): AsyncGenerator<Buffer> {
  if (itemsFromSeq !== record.itemsFromSeq) return;
  for (let after = 0; after < itemCount; ) {
    const { items, next } = await source.readItems(record.id, { after, limit: Math.min(pageSize, itemCount - after) });
    yield encodeExport({ type: "items", items: [...items] });
    after = next;
  }
}
