import type { Instant } from "@resumable-mcp/core/store";
import type { Disk } from "../disk/disk.js";
import { nodeDisk } from "../disk/node-disk.js";
import { createHost, type Host } from "../disk/platform.js";
import { createContext, type StoreContext } from "../disk/store-context.js";
import { openFolder } from "../index/store-folder.js";
import { closeStore, type OpenStore, openStore } from "../open-store.js";

/** Opens a store's folder to look at it: nothing is made, repaired, set aside or taken over. */
export function openReadOnly(directory: string, machine: Machine): OpenStore {
  const context = contextOf(directory, true, machine);
  openFolder(context, true);
  return openStore(context, machine.host);
}

/**
 * Runs something that changes a store, as one more process on its folder: what a server does at the same time stays
 * whole. The folder has to be there, unless it `mayBeMade`.
 */
export async function withOpenStore<Result>(
  directory: string,
  machine: Machine,
  run: (store: OpenStore) => Promise<Result>,
  mayBeMade = false,
): Promise<Result> {
  if (!mayBeMade) openReadOnly(directory, machine);
  const context = contextOf(directory, false, machine);
  openFolder(context, false);
  const store = openStore(context, machine.host);
  store.guard.open();
  store.workers.open();
  store.workers.noteTime(present());
  try {
    await store.folder.finish();
    return await run(store);
  } finally {
    await closeStore(store);
  }
}

/** The file system that a store is on, and what is known of other processes. */
export interface Machine {
  readonly disk: Disk;
  readonly host: Host;
}

/** The machine of this process. */
export function thisMachine(): Machine {
  return { disk: nodeDisk, host: createHost() };
}

function contextOf(directory: string, readOnly: boolean, { disk }: Machine): StoreContext {
  return createContext({ directory, disk, durable: !readOnly, readOnly, instance: readOnly ? "reader" : undefined });
}

/** The present moment, for a store. */
export function present(): Instant {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

/**
 * How long a command may hold a task, should it die while it does, and how long a worker that cannot be asked counts as
 * alive after its last heartbeat.
 */
export const adminTtlMs = 15_000;
