import { expect, test } from "vitest";
import { type Example, evaluate, initialWeights, takeStep, type Weights } from "./softmax-regression.js";

const examples: readonly Example[] = [
  { features: [1, -2], label: 0 },
  { features: [1, -1], label: 0 },
  { features: [1, 1], label: 1 },
  { features: [1, 2], label: 1 },
];

test("knows nothing before the first step", () => {
  expect(evaluate(initialWeights(2, 2), examples)).toEqual({ loss: Math.log(2), accuracy: 0.5 });
});

test("moves along the gradient: half the mean of what separates the classes", () => {
  expect(takeStep(initialWeights(2, 2), examples, 1)).toEqual([
    [0, -0.75],
    [0, 0.75],
  ]);
});

test("learns what can be separated", () => {
  let weights: Weights = initialWeights(2, 2);
  for (let step = 0; step < 100; step++) weights = takeStep(weights, examples, 1);
  const { loss, accuracy } = evaluate(weights, examples);
  expect(accuracy).toBe(1);
  expect(loss).toBeLessThan(0.02);
});

test("keeps the loss finite where a class seems impossible", () => {
  expect(
    evaluate(
      [
        [0, -1e4],
        [0, 1e4],
      ],
      [{ features: [1, 1], label: 0 }],
    ).loss,
  ).toBeLessThan(800);
});
