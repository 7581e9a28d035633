/** Makes choices out of a seed. The same seed gives the same choices. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32, public domain). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** True in so many of a hundred cases. */
  percent(chance: number): boolean {
    return this.next() * 100 < chance;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError("There is nothing to choose from.");
    return value;
  }

  /** A source of its own that takes no choice from this one: what is drawn from it changes no story of a known seed. */
  aside(): Random {
    return new Random(Math.imul(this.#state, 0x9e3779b1));
  }

  /** A source of its own, so that choices here do not change those elsewhere. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
