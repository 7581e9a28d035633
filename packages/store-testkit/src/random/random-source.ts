/** Choices that a seed repeats. */
export interface RandomSource {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** True in so many of a hundred cases. */
  percent(chance: number): boolean;
  /** One of the values; `undefined` when there is none. */
  pick<Value>(values: readonly Value[]): Value | undefined;
}

/** Makes choices out of a seed (mulberry32). */
export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    percent: (chance) => below(100) < chance,
    pick: (values) => values[below(values.length)],
  };
}
