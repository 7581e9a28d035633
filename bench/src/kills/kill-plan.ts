/** A source of random numbers that gives the same ones for the same seed (mulberry32). */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}

/** A named point of the code, at which a process kills itself when it passes it for this time, after an attempt began. */
export interface KillPoint {
  readonly name: string;
  readonly hits: number;
}

/** How one life of a process ends: at a point, or so many milliseconds after its work began by a kill from outside. */
export type KillPlan =
  | { readonly kind: "point"; readonly point: KillPoint }
  | { readonly kind: "moment"; readonly afterMs: number };

/** Chooses the end of the next life: two of three at a named point, one at a random moment. */
export function planKill(random: Random, points: readonly [string, ...string[]]): KillPlan {
  if (random.next() < 1 / 3) return { kind: "moment", afterMs: random.between(1, 700) };
  const name = random.pick(points);
  // Points of a take-over are passed once for each task at the start of a life, those of a commit all the time.
  const often = name.includes("commit") || name.includes("checkpoint");
  return { kind: "point", point: { name, hits: random.between(1, often ? 120 : 4) } };
}

/** Counts how often each text occurs. */
export function histogram(texts: readonly string[]): readonly (readonly [text: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}
