// A server of another library.
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fast", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true },
  async execute({ a, b }, { reportProgress }) {
    await reportProgress({ progress: 1, total: 1 });
    return `${a + b}`;
  },
});
await server.start({ transportType: "stdio" });
