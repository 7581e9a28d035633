/** The middle of some figures, and the interval in which the true middle lies with about 95 % confidence. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Finds median and interval by order statistics, without assuming how the figures are distributed. Needs one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const rank = lowRank(sorted.length);
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(rank),
    high: at(sorted.length - 1 - rank),
  };
}

/** The largest rank from either end that leaves at most 2.5 % of a fair coin's outcomes outside. */
function lowRank(count: number): number {
  let probability = 0.5 ** count;
  let outside = 0;
  for (let rank = 0; rank < count / 2; rank++) {
    outside += probability;
    if (outside > 0.025) return Math.max(0, rank - 1);
    probability = (probability * (count - rank)) / (rank + 1);
  }
  return 0;
}

/** What a ratio has to keep: at most, or at least. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A target is missed only when the whole interval lies beyond it. */
export function verdict(ratio: Spread, target: Target): "met" | "unclear" | "missed" {
  const [better, worse, limit] =
    "atMost" in target ? [ratio.low, ratio.high, target.atMost] : [-ratio.high, -ratio.low, -target.atLeast];
  if (worse <= limit) return "met";
  return better <= limit ? "unclear" : "missed";
}
