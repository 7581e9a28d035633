import type { Keyring } from "./keys/keyring.js";
import { type KeyDocuments, StoreKeys, UnknownDataKey } from "./keys/store-keys.js";
import { StoreSealer } from "./values/store-sealer.js";

/** So many data keys that a process does not know are looked for at once: there is one for each key of a keyring. */
const maxSoughtKeys = 100;

interface LoadedKeys {
  readonly keys: StoreKeys;
  readonly sealer: StoreSealer;
}

/** The keys of a store, loaded when they are first needed. */
export class OpenedKeys {
  readonly #documents: KeyDocuments;
  readonly #keyring: Keyring;
  #loaded: LoadedKeys | undefined;
  #loading: Promise<void> | undefined;

  constructor(documents: KeyDocuments, keyring: Keyring) {
    this.#documents = documents;
    this.#keyring = keyring;
  }

  /** What seals, where the keys are loaded already: a caller may change what it gave as soon as its call has returned. */
  get sealer(): StoreSealer | undefined {
    return this.#loaded?.sealer;
  }

  /** Loads the keys. A load that failed is repeated by the next call. */
  async load(): Promise<StoreSealer> {
    return (await this.#load()).sealer;
  }

  async #load(): Promise<LoadedKeys> {
    for (;;) {
      if (this.#loaded !== undefined) return this.#loaded;
      this.#loading ??= this.#loadOnce().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  /** Opens something; a data key that another process has made since is read first. What names a key that is not there does not open. */
  async open<Result>(open: (sealer: StoreSealer) => Result): Promise<Result> {
    const { keys, sealer } = await this.#load();
    const absent = new Set<string>();
    for (let sought = 0; ; sought += 1) {
      try {
        return keys.without(absent, () => open(sealer));
      } catch (error) {
        if (!(error instanceof UnknownDataKey)) throw error;
        if (sought >= maxSoughtKeys || !(await keys.fetch(error.keyId))) absent.add(error.keyId);
      }
    }
  }

  async #loadOnce(): Promise<void> {
    const keys = await StoreKeys.load(this.#documents, this.#keyring);
    this.#loaded = { keys, sealer: new StoreSealer(keys) };
  }
}
