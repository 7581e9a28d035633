import { randomBytes } from "node:crypto";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { createKeyring, withEncryption } from "@resumable-mcp/store-encryption";
import { createFsStore } from "@resumable-mcp/store-fs";
import { beginTask, now } from "../stores/stored-tasks.js";
import type { CheckpointKeeper } from "./checkpoint-keeper.js";

/** This project's file store. */
export function createStoreKeeper(directory: string, durability: "machine" | "process"): CheckpointKeeper {
  return keeperOf(createFsStore({ directory, durability }));
}

/** The same, encrypted. */
export function createEncryptedKeeper(directory: string, durability: "machine" | "process"): CheckpointKeeper {
  const keyring = createKeyring({ seal: randomBytes(32) });
  return keeperOf(withEncryption(createFsStore({ directory, durability }), keyring));
}

/** A store of this project: one commit for each checkpoint. */
export function keeperOf(store: Store): CheckpointKeeper {
  const tasks = new Map<string, { readonly lease: Lease; lastSeq: number }>();
  return {
    async begin(taskId) {
      tasks.set(taskId, await beginTask(store));
    },
    async keep(taskId, checkpoint) {
      const task = tasks.get(taskId);
      if (task === undefined) throw new Error(`Task ${taskId} was never begun.`);
      const event = { type: "checkpoint", ...checkpoint } as const;
      const { lease, lastSeq } = task;
      const { record } = await store.commit({ lease, afterSeq: lastSeq, events: [event], consume: [], now: now() });
      task.lastSeq = record.lastSeq;
    },
    close: () => store.close(),
  };
}
