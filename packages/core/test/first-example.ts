import { z } from "zod";
import { createEngine, createMemoryStore, defineTool } from "../src/index.js";

const countTo = defineTool({
  name: "count_to",
  description: "Counts to a number.",
  input: z.object({ n: z.number().int().positive() }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  async *run({ n }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      await task.sleep(`beat-${at}`, 10);
      yield { progress: at, total: n, state: { at }, message: `Counted ${at}/${n}` };
    }
    return { counted: n };
  },
});

const engine = createEngine({ store: createMemoryStore(), tools: [countTo] });
const tasks = engine.forOwner("local:me");

const { record } = await tasks.start({ tool: "count_to", input: { n: 5 } });
for await (const seen of tasks.follow(record.id)) {
  if (seen.kind === "event") console.info(seen.event.seq, seen.event.type);
}
const { record: done } = await tasks.wait(record.id);
console.info(done.status, done.output);
await engine.close();
