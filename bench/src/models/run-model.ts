import { join } from "node:path";
import { createMemoryStore, type MemoryStore, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import fc from "fast-check";
import { compare, storeCommands } from "./store-commands.js";
import { emptyState, StoreUnderTest } from "./store-state.js";

/** Opens an empty store for one run. */
export type OpenStore = () => Promise<StoreUnderTest>;

/** Stores in memory; `wrap` may put something in between. */
export function memoryStores(wrap: (store: Store) => Store = (store) => store): OpenStore {
  return async () => {
    let process: MemoryStore = createMemoryStore();
    return new StoreUnderTest(wrap(process), async (store) => {
      const next = process.anotherProcess();
      await store.close();
      process = next;
      return wrap(next);
    });
  };
}

/** Stores in folders below one. */
export function folderStores(parent: string): OpenStore {
  let opened = 0;
  return async () => {
    opened += 1;
    const directory = join(parent, `run-${opened}`);
    return reopened(() => createFsStore({ directory, durability: "process" }));
  };
}

/** Stores in schemas of one database. */
export function postgresStores(connectionString: string): OpenStore {
  let opened = 0;
  return async () => {
    opened += 1;
    const schema = `model_${process.pid}_${opened}`;
    return reopened(() => createPostgresStore({ connectionString, schema }));
  };
}

async function reopened(create: () => Store): Promise<StoreUnderTest> {
  const open = async (): Promise<Store> => {
    const store = create();
    await store.open();
    return store;
  };
  return new StoreUnderTest(await open(), async (store) => {
    await store.close();
    return open();
  });
}

/** How many sequences, of which seed. */
export interface ModelRun {
  readonly runs: number;
  readonly seed: number;
}

/**
 * Compares a store with a plain model in random sequences of calls.
 *
 * @throws an error that names the seed and the shortest sequence that was found.
 */
export async function checkStoreModel(open: OpenStore, { runs: numRuns, seed }: ModelRun): Promise<void> {
  const property = fc.asyncProperty(storeCommands, async (commands) => {
    const real = await open();
    const state = emptyState();
    try {
      await fc.asyncModelRun(() => ({ model: state, real }), commands);
      await compare(state, real);
    } finally {
      await real.store.close();
    }
  });
  await fc.assert(property, { numRuns, seed, includeErrorInReport: true });
}
