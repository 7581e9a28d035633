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

/** How one life of a replica ends, at the latest. */
export interface KillPlan {
  /** A sleep is longer than its lease, and a kill follows; one that does not stop in time is killed, too. */
  readonly by: "SIGKILL" | "SIGTERM" | "SIGSTOP";
  readonly point?: KillPoint;
}

/** Chooses the end of the next life: most are killed, two of three of them at a named point where there are any. */
export function planKill(random: Random, points: readonly string[]): KillPlan {
  const chance = random.next();
  if (chance < 0.4) return { by: chance < 0.15 ? "SIGSTOP" : "SIGTERM" };
  const [first, ...others] = points;
  if (first === undefined || random.next() < 1 / 3) return { by: "SIGKILL" };
  const name = random.pick([first, ...others]);
  // Points of a take-over are passed once for each task at the start of a life, those of a commit all the time.
  const often = name.includes("commit") || name.includes("checkpoint");
  return { by: "SIGKILL", point: { name, hits: random.between(1, often ? 40 : 4) } };
}

/** Says how often each text occurs, a line each. */
export function histogram(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([text, count]) => `${String(count).padStart(6)}  ${text}`);
}
