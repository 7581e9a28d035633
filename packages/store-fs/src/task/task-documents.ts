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
    leftOut[name] = `${length} characters; resumable-mcp show ${durable.id} --store DIR prints them`;
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

/**
 * Writes the readable documents of tasks, in the background and never two of one task at once.
 *
 * At once for a task that comes to rest; else one for each task in `documentPauseMs`, and those one after the other: no
 * checkpoint waits for one. None is synced: a loss of power may take a copy, and nothing else.
 */
export class TaskDocuments {
  readonly #context: StoreContext;
  /** By task: the document that is written, or the last of those that wait for it. */
  readonly #running = new Map<string, Promise<void>>();
  /** Tasks whose next document is not due yet. */
  readonly #timers = new Map<HeldTask, NodeJS.Timeout>();
  readonly #due = new Set<HeldTask>();
  /** When the last document of a task was due, by the caller's monotonic clock. */
  readonly #dueMs = new WeakMap<HeldTask, number>();
  #pumping: Promise<void> | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Notes a commit, at the caller's monotonic time. */
  note(held: HeldTask, { statusChanged, nowMs }: { statusChanged: boolean; nowMs: number }): void {
    if (statusChanged && held.durable.status !== "running") {
      this.#stopTimer(held);
      this.#dueMs.set(held, nowMs);
      void this.#write(held);
    } else if (!this.#timers.has(held)) {
      // A task that is short has one document.
      const lastMs = this.#dueMs.get(held) ?? nowMs;
      const leftMs = Math.max(lastMs + this.#context.limits.documentPauseMs - nowMs, 0);
      this.#dueMs.set(held, nowMs + leftMs);
      if (leftMs === 0) this.#makeDue(held);
      else this.#timers.set(held, setTimeout(() => this.#makeDue(held), leftMs).unref());
    }
  }

  #stopTimer(held: HeldTask): void {
    clearTimeout(this.#timers.get(held));
    this.#timers.delete(held);
  }

  #makeDue(held: HeldTask): void {
    this.#timers.delete(held);
    this.#due.add(held);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    for (const held of this.#due) {
      this.#due.delete(held);
      await this.#write(held);
      if (this.#due.size > 0) await pause(this.#context.limits.documentSpacingMs);
    }
    this.#pumping = undefined;
  }

  /** A copy that cannot be written leaves the older one; the journal has all. */
  #write(held: HeldTask): Promise<void> {
    const { taskId } = held.lease;
    const before = this.#running.get(taskId) ?? Promise.resolve();
    const running = before
      .then(() => this.#replace(held))
      .catch(() => undefined)
      .finally(() => {
        if (this.#running.get(taskId) === running) this.#running.delete(taskId);
      });
    this.#running.set(taskId, running);
    return running;
  }

  async #replace(held: HeldTask): Promise<void> {
    const { disk, layout, unique, observe } = this.#context;
    const { taskId } = held.lease;
    const options: DocumentOptions<TaskDocument> = {
      path: join(taskFolder(layout, taskId), "task.json"),
      schema,
      disk,
      createName: unique,
      sync: "none",
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

  /** Resolves when what is being written of a task is written. */
  async written(taskId: string): Promise<void> {
    await this.#running.get(taskId);
  }

  /** Resolves when everything noted so far is written. */
  async idle(): Promise<void> {
    for (const held of [...this.#timers.keys(), ...this.#due]) {
      this.#stopTimer(held);
      void this.#write(held);
    }
    this.#due.clear();
    await this.#pumping;
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
