import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Instant, Lease, NewTask, TaskEventBody } from "@resumable-mcp/core/store";
import { onTestFinished } from "vitest";
import type { FsStoreOptions } from "../src/create-fs-store.js";
import { createFsStore } from "../src/create-fs-store.js";
import { makeLayout, taskFolder } from "../src/disk/layout.js";

/** A moment of clocks that stand still; `at` lets time pass. */
export const now: Instant = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1_000 };
export const at = (ms: number): Instant => ({ wallMs: now.wallMs + ms, monotonicMs: now.monotonicMs + ms });

export const ttlMs = 10_000;

/** An empty folder that is removed after the test. */
export function emptyFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "store-fs-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that is closed after the test. */
export function openStore(directory: string, options: Omit<FsStoreOptions, "directory"> = {}): Store {
  const store = createFsStore({ directory, ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

export function newTask(id: string, parts: Partial<NewTask> = {}): NewTask {
  return {
    id: id.padEnd(16, "-"),
    owner: "client:test",
    tool: "count_words",
    toolVersion: "1",
    key: null,
    input: { path: "book.txt" },
    detached: true,
    ttlMs: 1_000,
    ...parts,
  };
}

/** Makes a task and gives its id. */
export async function create(store: Store, id: string, parts: Partial<NewTask> = {}): Promise<string> {
  const { snapshot } = await store.createTask({ task: newTask(id, parts), reuseResultMs: 0, now });
  return snapshot.record.id;
}

/** Takes a lease that must be free. */
export async function lease(store: Store, taskId: string, worker = "worker-a", when = now): Promise<Lease> {
  const taken = await store.acquireLease({ taskId, worker, ttlMs, now: when });
  if (taken === undefined) throw new Error(`the lease of ${taskId} is not free`);
  return taken.lease;
}

export async function commit(
  store: Store,
  held: Lease,
  afterSeq: number,
  events: readonly TaskEventBody[],
  consume: readonly string[] = [],
): Promise<{ readonly lastSeq: number }> {
  return (await store.commit({ lease: held, afterSeq, events, consume, now })).record;
}

export const checkpoint = (progress: number, items?: readonly string[]): TaskEventBody => ({
  type: "checkpoint",
  progress,
  ...(items && { items }),
});

/** Where a task's files are. */
export function folderOf(directory: string, taskId: string): string {
  return taskFolder(makeLayout(directory), taskId);
}

/** The newest journal file of a task. */
export function journalOf(directory: string, taskId: string): string {
  const folder = folderOf(directory, taskId);
  const epochs = readdirSync(folder).flatMap((name) => /^journal\.(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
  return join(folder, `journal.${Math.max(...epochs.map(Number))}.jsonl`);
}
