import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { layoutOf } from "../layout.js";
import { fsStoreDefaults } from "../limits.js";
import { nodeDisk } from "../node-disk.js";
import { closeStore, type OpenStore, openStore } from "../open-store.js";
import { createHost } from "../platform.js";
import type { StoreContext } from "../store-context.js";
import { openFolder } from "../store-folder.js";

/** Opens a store's folder to look at it: nothing is made, repaired, set aside or taken over. */
export function openReadOnly(directory: string): OpenStore {
  const context = contextOf(directory, true);
  openFolder(context, true);
  return openStore(context, createHost());
}

/**
 * Runs something that changes a store, as one more process on its folder: what a server does at the same time stays
 * whole. The folder has to be there, unless it `mayBeMade`.
 */
export async function withOpenStore<Result>(
  directory: string,
  run: (store: OpenStore) => Promise<Result>,
  mayBeMade = false,
): Promise<Result> {
  if (!mayBeMade) openReadOnly(directory);
  const context = contextOf(directory, false);
  openFolder(context, false);
  const store = openStore(context, createHost());
  store.workers.open();
  store.workers.noteTime({ wallMs: Date.now(), monotonicMs: performance.now() });
  try {
    return await run(store);
  } finally {
    await closeStore(store);
  }
}

function contextOf(directory: string, readOnly: boolean): StoreContext {
  const unique = () => randomBytes(9).toString("base64url");
  return {
    layout: layoutOf(resolve(directory)),
    disk: nodeDisk,
    durable: !readOnly,
    limits: fsStoreDefaults,
    instance: readOnly ? "reader" : unique(),
    readOnly,
    observe: () => {},
    unique,
  };
}
