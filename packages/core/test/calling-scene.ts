import { z } from "zod";
import { defineTool } from "../src/index.js";
import { childrenOf } from "../src/task/calls.js";
import { job, type Scene } from "./scene.js";

/** Adds after `ms`; notes each addition that it makes. */
export function adder(made: number[] = [], ms = 0, extras: { readonly ttl?: number } = {}) {
  return defineTool({
    name: "add",
    description: "Adds.",
    input: z.object({ a: z.number(), b: z.number().default(1) }),
    output: z.object({ sum: z.number() }),
    durable: true,
    ...extras,
    async run({ a, b }, task) {
      await task.sleep("think", ms);
      made.push(a);
      return { sum: a + b };
    },
  });
}

/** Calls `add` for each number, one after the other. */
export const summing = (add: ReturnType<typeof adder>, numbers: readonly number[] = [1, 2]) =>
  job(async function* (task) {
    let sum = 0;
    for (const [index, a] of numbers.entries()) sum += (await task.call(`add-${index}`, add, { a })).sum;
    yield { progress: 1 };
    return `sum ${sum}`;
  });

export const begin = async (scene: Scene, n = 0) => {
  const { record } = await scene.tasks.start({ tool: "job", input: { n }, detached: true });
  await scene.rest();
  return record.id;
};

export const get = async (scene: Scene, id: string) => (await scene.tasks.get(id)).record;
export const childOf = async (scene: Scene, id: string) => childrenOf(await get(scene, id))[0]?.child ?? "none";
