import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

/** Not for every token. */
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.object({ n: z.number() }),
  output: z.object({ paid: z.number() }),
  requiredScopes: ["pay"],
  run: async ({ n }) => ({ paid: n }),
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [pay];
