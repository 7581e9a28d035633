import { createEngine, defineTool, isFinal, isResumableError, type OwnedTasks, type Store } from "@resumable-mcp/core";
import { z } from "zod";
import type { Ledger } from "./ledger.js";
import { countTo, countTool } from "./work-on-store.js";

/** Counts on from where the journal is. */
const countUp = defineTool({
  name: countTool,
  description: "Counts up, an item at a time.",
  input: z.object({ id: z.string() }),
  state: { count: 0, text: "" },
  async *run(_, task) {
    for (let count = task.state.count + 1; count <= countTo; count += 1) {
      yield { progress: count, total: countTo, state: { count, text: "" }, append: [count] };
    }
    return { counted: countTo };
  },
});

/** How long one task may take to its end. */
const timeoutMs = 60_000;

/** Answers what a task asks, and lets it go on unless it does so by itself. */
async function goOn(tasks: OwnedTasks, taskId: string): Promise<void> {
  const { questions } = await tasks.get(taskId);
  for (const { key } of questions) await tasks.answer(taskId, key, { action: "accept", content: { go: true } });
  try {
    await tasks.resume(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
  }
}

/** Lets an engine run every unfinished task to its end: nothing is repeated and nothing left out (G2). */
export async function finishTasks(store: Store, { tasks: made }: Ledger): Promise<readonly string[]> {
  const errors: string[] = [];
  const engine = createEngine({ store, tools: [countUp], onError: (error) => errors.push(String(error)) });
  const problems: string[] = [];
  for (const { task } of made.values()) {
    const found = await store.getTask(task.id);
    if (found === undefined || isFinal(found.record.status)) continue;
    const tasks = engine.forOwner(task.owner);
    await goOn(tasks, task.id);
    const { record, reason } = await tasks.wait(task.id, { timeoutMs });
    const { items } = await tasks.items(task.id);
    const isWhole = items.length === countTo && items.every((item, place) => item === place + 1);
    if (record.status !== "completed" || !isWhole) {
      problems.push(`${task.id} ends as ${record.status} (${reason}) with the items ${JSON.stringify(items)}`);
    }
  }
  await engine.close();
  return [...problems, ...errors.map((error) => `the engine reports ${error}`)];
}
