import { readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import type { Store } from "@resumable-mcp/core";
import type { StoreAdmin } from "@resumable-mcp/core/store";
import { expect } from "vitest";
import { checkpoint, commit, create, emptyFolder, journalOf, lease, openStore } from "../../store-fs/test/scene.js";
import { readLines } from "../src/store/transfer/export-line.js";
import { emptyReport, importTasks } from "../src/store/transfer/import-tasks.js";
import { runWith } from "./command-line.js";

/** Journals of a few commits, the oldest of which are compacted. */
export const options = {
  durability: "process",
  limits: { rotateBytes: 2_000, maxJournalFiles: 3, keepJournalFiles: 1 },
} as const;
export const answer = { action: "accept", content: { name: "Ada" } } as const;

const artifactChunks = [new Uint8Array([0, 255, 10]), new Uint8Array([13, 0])];

/** A store with a task of every kind, the longest of which was compacted. */
export async function filled() {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const done = await create(store, "done", { key: "done" });
  const writing = await lease(store, done);
  for (const [index, bytes] of artifactChunks.entries())
    await store.putChunk({ lease: writing, artifact: "1-1-1", index, bytes, keep: [] });
  await commit(store, writing, 1, [
    checkpoint(1, ["a", "b"]),
    { type: "artifact", key: "a.bin", artifact: "1-1-1", mimeType: "image/png", bytes: 5 },
    { type: "completed", output: 7 },
  ]);
  await store.signal(done, { kind: "delivered" });
  const asking = await create(store, "asking", { key: "asking" });
  const held = await lease(store, asking);
  const question = { message: "?", schema: {} };
  await commit(store, held, 1, [
    { type: "step", key: "paid", value: 3 },
    { type: "asked", key: "name", question },
  ]);
  await commit(store, held, 3, [
    { type: "asked", key: "old", question },
    { type: "answered", key: "old", answer },
  ]);
  await store.signal(asking, { kind: "answer", key: "name", answer });
  await store.signal(asking, { kind: "detach" });
  const paused = await create(store, "paused");
  await commit(store, await lease(store, paused), 1, [
    checkpoint(2, ["p"]),
    { type: "desiredState", desiredState: "pause", cause: "caller_left" },
  ]);
  await store.signal(paused, { kind: "pause", cause: "caller_left" });
  const long = await create(store, "long", { key: "long" });
  const writer = await lease(store, long);
  for (let seq = 1; seq <= 60; seq += 1) {
    await commit(store, writer, seq, [
      { type: "checkpoint", progress: seq, state: { text: "x".repeat(200) }, items: [seq] },
    ]);
    await store.getTask(long);
  }
  await store.close();
  return { directory, ids: { done, asking, paused, long } };
}

/** The arguments that name a store. */
export const storeOf = (directory: string) => ["--store", directory];

/** All tasks of a store, as an exported file. */
export async function exported(directory: string): Promise<Buffer> {
  const { code, data } = await runWith([], "export", ...storeOf(directory));
  expect(code).toBe(0);
  return data;
}

/** All that a store says of a task, without what differs between two stores: the ids of its signals. */
export async function contentOf(store: Store, id: string) {
  const { record, signals } = (await store.getTask(id)) ?? { record: undefined, signals: [] };
  const { events, snapshot } = await store.readEvents(id, { afterSeq: 0, limit: 1000 });
  const { items } = await store.readItems(id, { after: 0, limit: 1000 });
  const chunk = (index: number) => store.readChunk(id, "1-1-1", index).then((bytes) => bytes && [...bytes]);
  const chunks = [await chunk(0), await chunk(1)];
  return { record, events, snapshot, items, chunks, signals: signals.map(({ id: _, ...signal }) => signal) };
}

/** Imports a file up to where it was cut, as a process that was killed there: what was brought before stays. Gives its ids. */
export async function importUntil(admin: StoreAdmin, cut: Buffer): Promise<readonly string[]> {
  const report = emptyReport();
  const importing = admin.write((writing) => importTasks(writing, readLines(Readable.from([cut])), report), true);
  await importing.catch(() => {});
  await admin.close();
  return report.imported;
}

/** Breaks the newest journal of a task. */
export function breakJournal(directory: string, taskId: string): void {
  const path = journalOf(directory, taskId);
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
