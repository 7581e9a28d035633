/** A generator of random numbers whose whole state is one number that can be stored. */
export interface Random {
  /** A whole number from 0 to 2^32 - 1. */
  readonly state: number;
  /** Gives the next number, at least 0 and less than 1. */
  next(): number;
}

/** Continues the generator "mulberry32" from a state; the first state is the seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    get state() {
      return state;
    },
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** Gives the values in a random order. */
export function shuffle<Value>(values: readonly Value[], random: Random): Value[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}
