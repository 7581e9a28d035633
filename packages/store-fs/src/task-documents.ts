import { join } from "node:path";
import type { TaskRecord } from "@resumable-mcp/core";
import { type Adapter, Low } from "lowdb";
import { z } from "zod";
import { recordSchema } from "./journal-line.js";
import { taskFolder } from "./layout.js";
import type { LiveLease } from "./live-lease.js";
import { quarantineFile } from "./quarantine.js";
import type { StoreContext } from "./store-context.js";
import { createFile, readFrom, syncPath } from "./whole-file.js";

/** A task as a person reads it. The journal is the truth; this is a copy of what it said some time ago. */
export interface TaskDocument {
  readonly note: string;
  readonly record: TaskRecord;
}

const documentSchema = z.object({ note: z.string(), record: recordSchema });

const note = "A copy for reading. The truth is in the journal; changing this file changes nothing.";

/**
 * Keeps one document in one file for lowdb: written under a name of its own, synced, and renamed into place, so that
 * two writers or a crash leave a whole document, if perhaps the one before.
 */
export function documentAdapter(context: StoreContext, taskId: string): Adapter<TaskDocument> {
  const { disk, layout, durable, unique } = context;
  const folder = taskFolder(layout, taskId);
  const path = join(folder, "task.json");
  return {
    async read() {
      const bytes = readFrom(disk, path);
      if (bytes === undefined) return null;
      const parsed = documentSchema.safeParse(JSON.parse(bytes.toString("utf8")));
      if (!parsed.success) throw new SyntaxError(`${path} is not a task's document`);
      return parsed.data;
    },
    async write(document) {
      const draft = join(folder, `.draft.${unique()}`);
      createFile(disk, draft, Buffer.from(`${JSON.stringify(document, null, 2)}\n`));
      if (durable) await syncPath(disk, draft);
      context.observe("store.record.written", taskId);
      // The name may be the older document's again after a loss of power: it is a copy, and whole either way.
      disk.rename(draft, path);
      context.observe("store.record.renamed", taskId);
    },
  };
}

/** Tells whether a text is a task's document. */
export function isDocument(text: string): boolean {
  try {
    return documentSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Writes the readable documents of tasks, in the background and never two of one task at once. */
export class TaskDocuments {
  private readonly context: StoreContext;
  private readonly waiting = new Map<string, TaskRecord>();
  private readonly running = new Map<string, Promise<void>>();
  /** When one was last written without a change of status, by the caller's monotonic clock. */
  private latestMs = Number.NEGATIVE_INFINITY;

  constructor(context: StoreContext) {
    this.context = context;
  }

  /** Notes a commit: the document is written now and then, and when the status changed. */
  note(live: LiveLease, { statusChanged, nowMs }: { statusChanged: boolean; nowMs: number }): void {
    live.commitsSinceDocument += 1;
    if (!statusChanged && !this.isDue(live, nowMs)) return;
    if (!statusChanged) this.latestMs = nowMs;
    live.commitsSinceDocument = 0;
    live.documentMs = nowMs;
    this.schedule(live.durable);
  }

  private isDue({ commitsSinceDocument, documentMs }: LiveLease, nowMs: number): boolean {
    const { documentEveryCommits, documentPauseMs, documentSpacingMs } = this.context.limits;
    if (commitsSinceDocument < documentEveryCommits || nowMs - documentMs < documentPauseMs) return false;
    return nowMs - this.latestMs >= documentSpacingMs;
  }

  private schedule(record: TaskRecord): void {
    this.waiting.set(record.id, record);
    if (this.running.has(record.id)) return;
    const run = this.drain(record.id).finally(() => this.running.delete(record.id));
    this.running.set(record.id, run);
  }

  private async drain(taskId: string): Promise<void> {
    for (let record = this.waiting.get(taskId); record !== undefined; record = this.waiting.get(taskId)) {
      this.waiting.delete(taskId);
      try {
        await this.write(record);
      } catch {
        // A copy that cannot be written leaves the older one; the journal has all.
      }
    }
  }

  /** A document that cannot be understood is kept: nothing unreadable is overwritten. */
  private async write(record: TaskRecord): Promise<void> {
    const document = new Low<TaskDocument>(documentAdapter(this.context, record.id), { note, record });
    try {
      await document.read();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const path = join(taskFolder(this.context.layout, record.id), "task.json");
      quarantineFile(this.context, path, `${record.id}.task.json`, error.message);
    }
    document.data = { note, record };
    await document.write();
  }

  /** Resolves when everything noted so far is written. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }
}
