import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

/** The trivial tool as an author of durable tools writes it: a module without `setup`. */
export default [
  defineTool({
    name: "echo",
    description: "Gives a text back.",
    input: z.object({ text: z.string() }),
    run: async ({ text }) => text,
  }),
];
