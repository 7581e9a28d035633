// A tool that throws where nothing catches it.
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const throwLater = defineTool({
  name: "throw_later",
  description: "Ends its server by an exception in a timer.",
  input: z.object({}),
  state: {},
  async *run() {
    setTimeout(() => {
      throw new Error("thrown by a timer");
    });
    await new Promise(() => {});
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [throwLater];
