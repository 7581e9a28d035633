import type { Keyring } from "./keys/keyring.js";
import { type KeyDocuments, StoreKeys } from "./keys/store-keys.js";
import { StoreCodec } from "./values/store-codec.js";

/** The keys of a store, loaded when they are first needed. */
export class OpenedKeys {
  readonly #keys: StoreKeys;
  #codec: StoreCodec | undefined;
  #loading: Promise<void> | undefined;

  constructor(documents: KeyDocuments, keyring: Keyring) {
    this.#keys = new StoreKeys(documents, keyring);
  }

  /** Loads the keys. A load that failed is repeated by the next call. */
  async load(): Promise<StoreCodec> {
    if (this.#codec !== undefined) return this.#codec;
    this.#loading ??= this.#keys.load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
    this.#codec ??= new StoreCodec(this.#keys);
    return this.#codec;
  }

  /**
   * Gives what seals to a method that was given something. Its caller may change that as soon as the call has returned: where the
   * keys are not loaded yet, the method gets a copy.
   */
  async seal<Given, Result>(given: Given, use: (codec: StoreCodec, given: Given) => Promise<Result>): Promise<Result> {
    if (this.#codec !== undefined) return use(this.#codec, given);
    const copy = structuredClone(given);
    return use(await this.load(), copy);
  }

  /** Opens something. Where a data key is missed, another process may have made it since: the keys are read again, once. */
  async open<Result>(open: (codec: StoreCodec) => Result): Promise<Result> {
    const codec = await this.load();
    const { misses } = this.#keys;
    try {
      const opened = open(codec);
      if (this.#keys.misses === misses) return opened;
    } catch (error) {
      if (this.#keys.misses === misses) throw error;
    }
    await this.#keys.refresh();
    return open(codec);
  }
}
