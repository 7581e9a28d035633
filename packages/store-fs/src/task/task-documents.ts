import { join } from "node:path";
import { type DocumentOptions, openDocument, parseDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { taskFolder } from "../disk/layout.js";
import { quarantineFile } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { recordSchema } from "../journal/journal-line.js";
import type { HeldTask } from "./held-task.js";

const schema = z.object({
  note: z.string(),
  /** Which task of this id it is about, and by which epoch it was written. */
  incarnation: z.optional(z.string()),
  epoch: z.optional(z.number()),
  /** Fields of the record that are too large for this copy, with their sizes. */
  leftOut: z.optional(z.record(z.string(), z.string())),
  record: recordSchema,
  data: z.optional(z.object({ last_batch: z.array(z.unknown()).readonly() })),
});

/** A task as a person reads it. The journal is the truth; this is a copy of what it said a moment ago. */
export type TaskDocument = z.infer<typeof schema>;

const note = "A copy for reading. The truth is in the journal; changing this file changes nothing.";

/** How long the JSON text of one of these fields may be. */
export const maxShownLength = 4_096;

function documentOf({ durable, lastBatch, view: { header } }: HeldTask): TaskDocument {
  const { input, state, output, remembered, ...record } = durable;
  const leftOut: Record<string, string> = {};
  const shown = <Value>(name: string, value: Value): Value | undefined => {
    const { length } = JSON.stringify(value) ?? "";
    if (length <= maxShownLength) return value;
    leftOut[name] = `${length} characters; resumable-mcp store show ${durable.id} prints them`;
    return undefined;
  };
  return {
    note,
    incarnation: header.incarnation,
    epoch: header.epoch,
    record: {
      ...record,
      input: shown("input", input) ?? null,
      state: shown("state", state),
      output: shown("output", output),
      remembered: shown("remembered", remembered) ?? {},
    },
    ...(Object.keys(leftOut).length > 0 && { leftOut }),
    ...(lastBatch && { data: { last_batch: lastBatch } }),
  };
}

/** Parses the text of a task's document; `undefined` for any other. */
export function parseTaskDocument(text: string): TaskDocument | undefined {
  const parsed = parseDocument(schema, text);
  return "document" in parsed ? parsed.document : undefined;
}

/** A document that is to be written as soon as the one before is. */
interface Waiting {
  readonly held: HeldTask;
  /** It shows a state that may last, and is synced: it may be the last one. */
  readonly isLasting: boolean;
}

/**
 * Writes the readable documents of tasks, in the background and never two of one task at once.
 *
 * At a change of status at once; else one for each task in `documentPauseMs`, and those one after the other: no
 * checkpoint waits for one, or for the sync of one.
 */
export class TaskDocuments {
  readonly #context: StoreContext;
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Map<string, Promise<void>>();
  /** Tasks whose next document is not due yet. */
  readonly #timers = new Map<string, { readonly held: HeldTask; readonly timer: NodeJS.Timeout }>();
  readonly #due = new Set<HeldTask>();
  /** When the last document of a task was due, by the caller's monotonic clock. */
  readonly #dueMs = new WeakMap<HeldTask, number>();
  #pumping: Promise<void> | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Notes a commit, at the caller's monotonic time. */
  note(held: HeldTask, { statusChanged, nowMs }: { statusChanged: boolean; nowMs: number }): void {
    const { taskId } = held.lease;
    if (statusChanged) {
      clearTimeout(this.#timers.get(taskId)?.timer);
      this.#timers.delete(taskId);
      this.#dueMs.set(held, nowMs);
      void this.#schedule({ held, isLasting: true });
      return;
    }
    if (this.#timers.has(taskId)) return;
    const lastMs = this.#dueMs.get(held) ?? Number.NEGATIVE_INFINITY;
    const leftMs = lastMs + this.#context.limits.documentPauseMs - nowMs;
    if (leftMs <= 0) this.#makeDue(held, nowMs);
    else this.#startTimer(held, { leftMs, dueMs: nowMs + leftMs });
  }

  #startTimer(held: HeldTask, { leftMs, dueMs }: { leftMs: number; dueMs: number }): void {
    const { taskId } = held.lease;
    const timer = setTimeout(() => {
      this.#timers.delete(taskId);
      this.#makeDue(held, dueMs);
    }, leftMs).unref();
    this.#timers.set(taskId, { held, timer });
  }

  #makeDue(held: HeldTask, dueMs: number): void {
    this.#dueMs.set(held, dueMs);
    this.#due.add(held);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    for (const held of this.#due) {
      this.#due.delete(held);
      await this.#schedule({ held, isLasting: false });
      if (this.#due.size > 0) await pause(this.#context.limits.documentSpacingMs);
    }
    this.#pumping = undefined;
  }

  #schedule({ held, isLasting }: Waiting): Promise<void> {
    const { taskId } = held.lease;
    this.#waiting.set(taskId, { held, isLasting: isLasting || this.#waiting.get(taskId)?.isLasting === true });
    const running = this.#running.get(taskId) ?? this.#drain(taskId);
    this.#running.set(taskId, running);
    return running;
  }

  async #drain(taskId: string): Promise<void> {
    for (let next = this.#waiting.get(taskId); next !== undefined; next = this.#waiting.get(taskId)) {
      this.#waiting.delete(taskId);
      try {
        await this.#write(next);
      } catch {
        // A copy that cannot be written leaves the older one; the journal has all.
      }
    }
    this.#running.delete(taskId);
  }

  async #write({ held, isLasting }: Waiting): Promise<void> {
    const { disk, layout, unique, durable, observe } = this.#context;
    const { taskId } = held.lease;
    const options: DocumentOptions<TaskDocument> = {
      path: join(taskFolder(layout, taskId), "task.json"),
      schema,
      disk,
      createName: unique,
      sync: durable && isLasting ? "content" : "none",
      onDamage: ({ path, problem }) => quarantineFile(this.#context, path, `${taskId}.task.json`, problem),
      // An older document must not replace the one of a newer epoch.
      mayReplace: () => {
        observe("store.record.written", taskId);
        return held.isNewest();
      },
    };
    const now = documentOf(held);
    const document = await openDocument(options, now);
    // The process that took the task over is ahead.
    if (document.data.incarnation === now.incarnation && document.data.record.lastSeq > now.record.lastSeq) return;
    document.data = now;
    await document.write();
    observe("store.record.renamed", taskId);
  }

  /** Resolves when everything noted so far is written. */
  async idle(): Promise<void> {
    for (const { held, timer } of this.#timers.values()) {
      clearTimeout(timer);
      this.#due.add(held);
    }
    this.#timers.clear();
    for (const held of this.#due) void this.#schedule({ held, isLasting: false });
    this.#due.clear();
    await this.#pumping;
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
