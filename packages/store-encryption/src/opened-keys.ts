import type { Keyring } from "./keys/keyring.js";
import { type KeyDocuments, StoreKeys, UnknownDataKey } from "./keys/store-keys.js";
import { StoreSealer } from "./values/store-sealer.js";

/** A process may meet so many data keys at once that it did not know: each is made by one process under a key of the keyring. */
const maxUnknownKeys = 100;

/** The keys of a store, loaded when they are first needed. */
export class OpenedKeys {
  readonly #documents: KeyDocuments;
  readonly #keyring: Keyring;
  #loaded: { readonly keys: StoreKeys; readonly sealer: StoreSealer } | undefined;
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
    for (;;) {
      if (this.#loaded !== undefined) return this.#loaded.sealer;
      this.#loading ??= this.#loadOnce().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  /** Opens something; a data key that another process has made since is read first. */
  async open<Result>(open: (sealer: StoreSealer) => Result): Promise<Result> {
    const sealer = await this.load();
    for (let unknown = 0; ; unknown += 1) {
      try {
        return open(sealer);
      } catch (error) {
        if (!(error instanceof UnknownDataKey) || unknown === maxUnknownKeys) throw error;
        await this.#loaded?.keys.fetch(error.keyId);
      }
    }
  }

  async #loadOnce(): Promise<void> {
    const keys = await StoreKeys.load(this.#documents, this.#keyring);
    this.#loaded = { keys, sealer: new StoreSealer(keys) };
  }
}
