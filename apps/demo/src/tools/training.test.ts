import { createEngine, createMemoryStore, type Json } from "@resumable-mcp/core";
import { checkResumable } from "@resumable-mcp/core/testing";
import { expect, test } from "vitest";
import { createTraining } from "./training.js";

const tool = createTraining();

async function train(input: Json): Promise<Json | undefined> {
  const tasks = createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
  const { record } = await tasks.start({ tool: tool.name, input });
  return (await tasks.wait(record.id)).record.output;
}

test("ends with bit-identical weights wherever it is killed (G1, G2)", async () => {
  const report = await checkResumable(tool, { epochs: 4, delay_ms: 0 });
  expect(report.differences).toEqual([]);
  expect(report.items).toHaveLength(4);
  expect(report.output).toMatchObject({ epochs: 4, training_examples: 266, test_examples: 67, status: "completed" });
});

test("learns to tell the species of penguins apart that it has not seen", async () => {
  const output = await train({ epochs: 30, delay_ms: 0 });
  expect(output).toMatchObject({ test_accuracy: expect.closeTo(1, 1), training_accuracy: expect.closeTo(1, 1) });
});

test("ends with other weights for another seed, and with the same for the same", async () => {
  const [first, again, other] = await Promise.all([
    train({ epochs: 2, delay_ms: 0 }),
    train({ epochs: 2, delay_ms: 0 }),
    train({ epochs: 2, delay_ms: 0, seed: 2 }),
  ]);
  const digestOf = (output: Json | undefined) => (output as { digest: string }).digest;
  expect(digestOf(again)).toBe(digestOf(first));
  expect(digestOf(other)).not.toBe(digestOf(first));
});

test.each<Record<string, Json>>([{ epochs: 0 }, { learning_rate: 0 }, { seed: -1 }, { dataset_name: "earthquakes" }])(
  "refuses %j before there is a task",
  async (input) => {
    await expect(train(input)).rejects.toMatchObject({ code: "INVALID_VALUE" });
  },
);
