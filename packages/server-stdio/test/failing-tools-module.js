import { defineTool } from "@resumable-mcp/core";

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [
  defineTool({
    name: "fails",
    description: "Fails.",
    input: { type: "object" },
    async run() {
      throw new Error("cannot open /secret/path");
    },
  }),
];
