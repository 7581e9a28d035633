import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const input = z.object({ n: z.number() });

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  input,
  run: async ({ n }: z.infer<typeof input>): Promise<{ doubled: number }> => ({ doubled: 2 * n }),
});

export default [double];
