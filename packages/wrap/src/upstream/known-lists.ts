import { wrapLimits } from "../limits.js";

interface KnownList<Entry> {
  readonly atMs: number;
  readonly entries: readonly Entry[];
}

/**
 * What servers listed last, until one of them tells of a change, or might have changed without a word.
 *
 * Limits: `knownListMs`, `maxKnownLists`; a list of more than `maxKnownEntries` is not kept.
 */
export class KnownLists<Entry> {
  readonly #lists = new Map<string, KnownList<Entry>>();
  #changes = 0;

  find(key: string): readonly Entry[] | undefined {
    const known = this.#lists.get(key);
    return known !== undefined && performance.now() - known.atMs < wrapLimits.knownListMs ? known.entries : undefined;
  }

  /** Something was changed: all has to be listed again. */
  forget(): void {
    this.#changes += 1;
    this.#lists.clear();
  }

  /** A list is about to be read. Returns what keeps it, unless something has changed in the meantime. */
  reading(key: string): (entries: readonly Entry[]) => void {
    const before = this.#changes;
    return (entries) => {
      this.#lists.delete(key);
      if (this.#changes !== before || entries.length > wrapLimits.maxKnownEntries) return;
      this.#lists.set(key, { atMs: performance.now(), entries });
      const [oldest] = this.#lists.keys();
      if (oldest !== undefined && this.#lists.size > wrapLimits.maxKnownLists) this.#lists.delete(oldest);
    };
  }
}
