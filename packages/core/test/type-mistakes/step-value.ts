import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const clock = defineTool({
  name: "clock",
  description: "Says when it began.",
  input: z.object({}),
  async *run(_input, task) {
    const began = await task.step("began", () => new Date());
    yield { message: String(began) };
    return 1;
  },
});
