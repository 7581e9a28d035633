import { randomBytes } from "node:crypto";
import { createMemoryStore, type Json, type Store, type TaskRecord } from "@resumable-mcp/core";
import type { NewTask, TaskEventBody } from "@resumable-mcp/core/store";
import { createKeyring, type Keyring } from "../src/keys/keyring.js";
import { withEncryption } from "../src/with-encryption.js";

/** The present moment of these tests. */
export const now = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1_000 };

/** A key of 32 random bytes. */
export function newKey(): Buffer {
  return randomBytes(32);
}

/** A keyring of one new key. */
export function newKeyring(): Keyring {
  return createKeyring({ seal: newKey() });
}

/** A task that was not made yet. */
export function newTask(id: string, parts: Partial<NewTask> = {}): NewTask {
  return {
    id: `task-${id.padStart(16, "0")}`,
    owner: "sub:alice@example.com",
    tool: "count_words",
    toolVersion: "1",
    key: `call ${id}`,
    input: { path: `${id}.txt` },
    detached: true,
    ttlMs: 1_000,
    ...parts,
  };
}

/** Makes a task. */
export async function create(store: Store, task: NewTask) {
  const { snapshot, created } = await store.createTask({ task, reuseResultMs: 0, now });
  return { record: snapshot.record, created };
}

/** Commits to a task that no other worker holds. */
export async function write(store: Store, taskId: string, events: readonly TaskEventBody[]): Promise<TaskRecord> {
  const taken = await store.acquireLease({ taskId, worker: "worker-1", ttlMs: 10_000, now });
  if (taken === undefined) throw new Error("The lease is not free.");
  const { lease, snapshot } = taken;
  const done = await store.commit({ lease, afterSeq: snapshot.record.lastSeq, events, consume: [], now });
  await store.releaseLease(lease);
  return done.record;
}

/** A checkpoint with a state, a message and items. */
export function checkpoint(state: Json, items: readonly Json[] = []): TaskEventBody {
  return { type: "checkpoint", progress: 1, message: "halfway", state, items };
}

/** An encrypted store in memory, and what is inside. */
export function encryptedMemory(keyring = newKeyring()) {
  const memory = createMemoryStore();
  return { memory, keyring, store: withEncryption(memory, keyring) };
}
