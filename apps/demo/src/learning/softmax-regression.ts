/** One example: features, of which the first is always 1, and the class that it belongs to. */
export interface Example {
  readonly features: readonly number[];
  readonly label: number;
}

/** One row of weights for each class, one weight for each feature. */
export type Weights = readonly (readonly number[])[];

/** Begins with zeros: the loss has one minimum, so no luck is needed. */
export function initialWeights(classes: number, features: number): Weights {
  return Array.from({ length: classes }, () => Array.from({ length: features }, () => 0));
}

/**
 * Takes one step down the gradient of the loss on some examples.
 *
 * Ordering: the same examples in the same order give the same weights to the last bit, on one machine.
 */
export function takeStep(weights: Weights, examples: readonly Example[], learningRate: number): Weights {
  const gradient = weights.map((row) => row.map(() => 0));
  for (const { features, label } of examples) {
    const likely = probabilities(weights, features);
    for (const [index, row] of gradient.entries()) {
      const error = (likely[index] ?? 0) - (index === label ? 1 : 0);
      for (const [feature, value] of features.entries()) row[feature] = (row[feature] ?? 0) + error * value;
    }
  }
  const rate = learningRate / examples.length;
  return weights.map((row, index) => row.map((weight, feature) => weight - rate * (gradient[index]?.[feature] ?? 0)));
}

/** How well weights do: mean cross entropy, and the share of examples whose class they find. */
export function evaluate(weights: Weights, examples: readonly Example[]): { loss: number; accuracy: number } {
  let loss = 0;
  let right = 0;
  for (const { features, label } of examples) {
    const likely = probabilities(weights, features);
    // A probability of 0 would make the loss infinite, which JSON cannot keep.
    loss -= Math.log(Math.max(likely[label] ?? 0, Number.MIN_VALUE));
    if (likely.indexOf(Math.max(...likely)) === label) right += 1;
  }
  return { loss: loss / examples.length, accuracy: right / examples.length };
}

/** The probability of each class. */
function probabilities(weights: Weights, features: readonly number[]): number[] {
  const scores = weights.map((row) => row.reduce((sum, weight, index) => sum + weight * (features[index] ?? 0), 0));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
