import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const ship = defineTool({
  name: "ship",
  description: "Ships it.",
  input: z.object({ n: z.number() }),
  async run({ n }, task) {
    const address = z.object({ street: z.string() });
    await task.ask("where", { message: "Where?", schema: z.object({ address }) });
    return n;
  },
});
