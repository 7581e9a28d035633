import type { Store } from "@resumable-mcp/core";
import type { Instant, Lease } from "@resumable-mcp/core/store";

/** A task as plainly as it can be written down. */
export interface PlainTask {
  readonly id: string;
  readonly owner: string;
  readonly key: string | null;
  seq: number;
  progress: number;
  items: number[];
  ended: boolean;
  deleted: boolean;
  /** The kinds of its requests, each once. */
  requests: Set<string>;
  /** Of the lease that counts. */
  epoch: number | undefined;
  lastEpoch: number;
}

/** A document: its value and its version; 0 where there is none. */
export interface PlainDocument {
  value: number;
  version: number;
}

/** What a store has to hold. */
export interface StoreState {
  readonly tasks: PlainTask[];
  readonly documents: Map<string, PlainDocument>;
}

/** The store that is compared with it. */
export class StoreUnderTest {
  #store: Store;
  readonly #reopen: (store: Store) => Promise<Store>;
  /** Every lease of each task, the newest last. */
  readonly leases = new Map<string, Lease[]>();
  #ms = 1_700_000_000_000;

  /** @param reopen closes a store and opens its data again, as another process does. */
  constructor(store: Store, reopen: (store: Store) => Promise<Store>) {
    this.#store = store;
    this.#reopen = reopen;
  }

  get store(): Store {
    return this.#store;
  }

  /** The next moment: the clock is turned by hand. */
  now(): Instant {
    this.#ms += 1;
    return { wallMs: this.#ms, monotonicMs: this.#ms };
  }

  async reopen(): Promise<void> {
    this.#store = await this.#reopen(this.#store);
  }
}

/** Makes the state of an empty store. */
export function emptyState(): StoreState {
  return { tasks: [], documents: new Map() };
}

/** Calls something that may be refused; gives "ok" or the code of its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (typeof code !== "string") throw error;
    return code;
  }
}
