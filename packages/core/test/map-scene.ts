import { z } from "zod";
import { defineTool, type MapOptions, type TaskContext, type Tool, type ToolOptions } from "../src/index.js";
import type { MapAttempt } from "../src/tool/tool.js";
import { jobInput, type Scene } from "./scene.js";

export type Task = TaskContext<unknown, number>;
export type Run = (item: number, attempt: MapAttempt, task: Task) => Promise<number | undefined> | number | undefined;

export const base = { name: "job", description: "Does what the test says.", input: jobInput, item: z.number() };

/** A plain tool of one map over the numbers below `count`, or over what is given. */
export function mapping(
  items: number | ((task: Task) => Iterable<number> | AsyncIterable<number>),
  run: Run,
  options: MapOptions = {},
  limits: ToolOptions["limits"] = {},
): Tool {
  return defineTool({
    ...base,
    limits,
    run: async (_input, task) => {
      const given = typeof items === "number" ? numbers(items) : items(task);
      return await task.map("m", given, (item, attempt) => run(item, attempt, task), options);
    },
  });
}

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

export async function* slowly(count: number, noted: (read: number) => void = () => {}): AsyncGenerator<number> {
  for (let index = 0; index < count; index += 1) {
    await undefined;
    noted(index);
    yield index;
  }
}

export const named = (name: string): Tool => defineTool({ ...base, name, run: async () => "done" });

export const itemsOf = async (scene: Scene, id: string) => (await scene.tasks.items(id)).items;

export async function checkpointsOf({ store }: Scene, id: string) {
  const { events } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
  return events.flatMap((event) => (event.type === "checkpoint" ? [event] : []));
}
