// Tools of this toolkit's own, which a gateway calls like those of any other server.
import { appendFileSync, existsSync } from "node:fs";
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const { EFFECTS: effects = "" } = process.env;
const note = (line) => appendFileSync(effects, `${line}\n`);

const count = defineTool({
  name: "count",
  description: "Counts to n, and asks before the last.",
  input: z.object({ n: z.number() }),
  state: { counted: 0 },
  async *run({ n }, task) {
    for (let { counted } = task.state; counted < n; ) {
      counted += 1;
      while (counted === 3 && !existsSync(`${effects}.go`)) await new Promise((resolve) => setTimeout(resolve, 5));
      note(`pids ${process.pid} ${process.ppid}`);
      yield { progress: counted, total: n, state: { counted }, message: `counted ${counted}` };
    }
    const answer = await task.ask("name", { message: "Whose?", schema: z.object({ name: z.string() }) });
    return `counted for ${answer.content?.name}`;
  },
});

// biome-ignore lint/style/noDefaultExport: that is what a tools module is.
export default [count];
