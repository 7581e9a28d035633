import { penguins } from "../data/catalog.js";
import { parseRow, readRows } from "../data/dataset.js";
import { createRandom, shuffle } from "./random.js";
import type { Example } from "./softmax-regression.js";

/** The classes to tell apart; an example's label is its place in this list. */
export const species = ["Adelie", "Chinstrap", "Gentoo"] as const;

/** What distinguishes the classes, in the order of an example's features behind the leading 1. */
export const measurements = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"] as const;

const testShare = 0.2;

/** Examples to learn from, and others to be examined with. */
export interface Examples {
  readonly training: readonly Example[];
  readonly test: readonly Example[];
}

/** Reads the penguins that have all measurements and divides them at random: the same seed divides in the same way. */
export async function readPenguins(seed: number): Promise<Examples> {
  const penguinsRead = [];
  for await (const { cells } of readRows(penguins)) {
    const parsed = parseRow(penguins, cells);
    if (parsed.ok) penguinsRead.push(parsed.row);
  }
  const shuffled = shuffle(penguinsRead, createRandom(seed));
  const testCount = Math.round(shuffled.length * testShare);
  const training = shuffled.slice(testCount);
  const scales = measurements.map((name) => scaleOf(training.map((row) => row[name])));
  const toExample = (row: (typeof shuffled)[number]): Example => ({
    features: [1, ...measurements.map((name, index) => scales[index]?.(row[name]) ?? 0)],
    label: species.indexOf(row.species),
  });
  return { training: training.map(toExample), test: shuffled.slice(0, testCount).map(toExample) };
}

/** Millimetres and grams become comparable: mean 0, standard deviation 1. Learned from the training examples only. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return (value) => (value - mean) / Math.sqrt(variance);
}
