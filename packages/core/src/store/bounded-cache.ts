/** Values by key, some of which are not there any more. */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  /** Adds a value, or notes how large it is by now. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
}

/** Keeps what was used last, within a number of entries and of bytes. */
export class BoundedCache<Value> implements Cache<Value> {
  readonly #entries = new Map<string, { value: Value; bytes: number; used: number }>();
  #bytes = 0;
  /** Counts uses. */
  #clock = 0;
  readonly #limits: { readonly maxEntries: number; readonly maxBytes: number };

  constructor(limits: { readonly maxEntries: number; readonly maxBytes: number }) {
    this.#limits = limits;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#clock += 1;
    entry.used = this.#clock;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, bytes: number): void {
    this.#put(key, value, bytes, Number.POSITIVE_INFINITY);
  }

  /**
   * The same entries for a reader that goes through many values again and again: what was used since this call is kept. Were
   * there more of them than fit, each would push out the one that is needed next, and none would ever be found.
   */
  forScan(): Cache<Value> {
    const since = this.#clock;
    return {
      get: (key) => this.get(key),
      set: (key, value, bytes) => this.#put(key, value, bytes, since),
      delete: (key) => this.delete(key),
    };
  }

  #put(key: string, value: Value, bytes: number, since: number): void {
    this.delete(key);
    this.#clock += 1;
    this.#entries.set(key, { value, bytes, used: this.#clock });
    this.#bytes += bytes;
    for (const [oldest, { used }] of this.#entries) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#bytes <= this.#limits.maxBytes) return;
      this.delete(used > since ? key : oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** A cache that keeps nothing. */
export const noCache: Cache<never> = { get: () => undefined, set: () => {}, delete: () => {} };
