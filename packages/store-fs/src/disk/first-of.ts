/** Keeps the first few of many by an order of their keys, and no more than those. */
export class FirstOf<Item extends Key, Key = Item> {
  readonly #sorted: Item[] = [];
  readonly #limit: number;
  readonly #order: (left: Key, right: Key) => number;

  constructor(limit: number, order: (left: Key, right: Key) => number) {
    this.#limit = limit;
    this.#order = order;
  }

  get items(): readonly Item[] {
    return this.#sorted;
  }

  get last(): Item | undefined {
    return this.#sorted.at(-1);
  }

  get isFull(): boolean {
    return this.#sorted.length >= this.#limit;
  }

  /** Tells whether an item of this key would be among the first by now. */
  takes(key: Key): boolean {
    const { last } = this;
    return this.#limit > 0 && (!this.isFull || last === undefined || this.#order(key, last) < 0);
  }

  add(item: Item): void {
    if (!this.takes(item)) return;
    this.#sorted.splice(this.#placeOf(item), 0, item);
    if (this.#sorted.length > this.#limit) this.#sorted.pop();
  }

  #placeOf(item: Item): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#sorted[middle];
      if (other !== undefined && this.#order(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
