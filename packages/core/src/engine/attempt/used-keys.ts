/** A use of a key: its place in the order of all uses of the attempt, and whether it has not ended. */
interface Use {
  readonly place: number;
  isOpen: boolean;
}

/** What a step or an item may use again, while it runs again. */
interface Tries {
  readonly from: number;
  to: number;
}

/**
 * The keys that one attempt of a task uses, each once. A step or an item that runs again uses those of its earlier tries again, and
 * gets what they gave.
 */
export class UsedKeys {
  readonly #uses = new Map<string, Use>();
  readonly #repeating = new Set<Tries>();
  #place = 0;

  /** @returns what ends the use, or `undefined` where the key is used already. */
  begin(key: string): (() => void) | undefined {
    const before = this.#uses.get(key);
    if (before !== undefined && (before.isOpen || !this.#isRepeated(before))) return undefined;
    const use = { place: ++this.#place, isOpen: true };
    this.#uses.set(key, use);
    return () => {
      use.isOpen = false;
    };
  }

  /** A step or an item begins. `again` says that its next try does, and `end` that it has ended. */
  tries(): { readonly again: () => void; readonly end: () => void } {
    const tries: Tries = { from: this.#place, to: this.#place };
    return {
      again: () => {
        tries.to = this.#place;
        this.#repeating.add(tries);
      },
      end: () => this.#repeating.delete(tries),
    };
  }

  #isRepeated({ place }: Use): boolean {
    return [...this.#repeating].some(({ from, to }) => from < place && place <= to);
  }
}
