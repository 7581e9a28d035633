import { createHash } from "node:crypto";
import { defineTool, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { type Examples, measurements, readPenguins, species } from "../learning/penguin-examples.js";
import { createRandom, shuffle } from "../learning/random.js";
import { type Example, evaluate, initialWeights, takeStep, type Weights } from "../learning/softmax-regression.js";
import { maxDelayMs, pace } from "./pace.js";

const stepExamples = 16;

const input = z.strictObject({
  dataset_name: z
    .enum(["penguins", "customer_data"])
    .default("penguins")
    .describe("The data that has classes to learn."),
  epochs: z.int().min(1).max(10_000).default(50).describe("How often to go through all examples; one checkpoint each."),
  learning_rate: z.number().positive().max(10).default(0.1),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe("The seed of the random order; the same seed gives the same weights."),
  delay_ms: z.int().min(0).max(maxDelayMs).default(200).describe("Time per epoch, so that a person can watch."),
});

const weights = z.array(z.array(z.number()));

const output = z.object({
  task_id: z.string(),
  dataset_name: z.string(),
  epochs: z.number(),
  training_examples: z.number(),
  test_examples: z.number(),
  loss: z.number(),
  training_accuracy: z.number(),
  test_accuracy: z.number(),
  classes: z.array(z.string()),
  features: z.array(z.string()),
  weights: weights.describe("One row for each class, one column for each feature."),
  digest: z.string().describe("SHA-256 of the weights as JSON: equal when the weights are equal to the last bit."),
  status: z.literal("completed"),
});

const metrics = z.object({ epoch: z.number(), loss: z.number(), accuracy: z.number() });

/** Weights and the state of the random numbers: with both, the next epoch is what it would have been. */
const state = z.object({ epoch: z.number(), weights, random: z.number() }).nullable().default(null);

type Input = z.output<typeof input>;
type State = NonNullable<z.output<typeof state>>;

/** Makes the tool `machine_learning_training`: learns to tell penguins apart, epoch by epoch. */
export function createTraining(): Tool {
  return defineTool({
    name: "machine_learning_training",
    title: "Train a small model",
    description:
      "Trains a softmax regression that tells species of penguins apart. Long-running; an interrupted run ends with the same weights.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input,
    output,
    state,
    item: metrics,
    key: ({ delay_ms: _pace, ...rest }) => rest,
    async *run(asked, task) {
      const examples = await readPenguins(asked.seed);
      let current: State = task.state ?? begin(asked.seed);
      const verb = current.epoch === 0 ? "Training on" : `Resuming behind epoch ${current.epoch} with`;
      task.log("info", `${verb} ${examples.training.length} examples`);
      while (current.epoch < asked.epochs) {
        await pace(asked.delay_ms, task.signal);
        current = trainEpoch(current, examples.training, asked.learning_rate);
        const { epoch } = current;
        const { loss, accuracy } = evaluate(current.weights, examples.training);
        const message = `Epoch ${epoch}/${asked.epochs}: loss ${loss.toFixed(4)}, accuracy ${percent(accuracy)}`;
        yield { progress: epoch, total: asked.epochs, state: current, append: [{ epoch, loss, accuracy }], message };
      }
      return resultOf(task.id, asked, current, examples);
    },
  });
}

function begin(seed: number): State {
  const first = initialWeights(species.length, measurements.length + 1);
  return { epoch: 0, weights: first.map((row) => [...row]), random: seed };
}

function trainEpoch(
  { epoch, weights: before, random: seed }: State,
  training: readonly Example[],
  rate: number,
): State {
  const random = createRandom(seed);
  const shuffled = shuffle(training, random);
  let current: Weights = before;
  for (let at = 0; at < shuffled.length; at += stepExamples) {
    current = takeStep(current, shuffled.slice(at, at + stepExamples), rate);
  }
  return { epoch: epoch + 1, weights: current.map((row) => [...row]), random: random.state };
}

function resultOf(taskId: string, asked: Input, current: State, { training, test }: Examples): z.output<typeof output> {
  const learned = evaluate(current.weights, training);
  return {
    task_id: taskId,
    dataset_name: asked.dataset_name,
    epochs: current.epoch,
    training_examples: training.length,
    test_examples: test.length,
    loss: learned.loss,
    training_accuracy: learned.accuracy,
    test_accuracy: evaluate(current.weights, test).accuracy,
    classes: [...species],
    features: ["constant", ...measurements],
    weights: current.weights,
    digest: createHash("sha256").update(JSON.stringify(current.weights)).digest("hex"),
    status: "completed",
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
