import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const days = defineTool({
  name: "days",
  description: "Counts days.",
  input: z.object({}),
  async run(_input, task) {
    return await task.map("days", [new Date()], (day) => day.getTime());
  },
});
