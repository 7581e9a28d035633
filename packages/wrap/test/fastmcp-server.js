// A server of another library.
import { FastMCP, imageContent, UserError } from "fastmcp";
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
server.addTool({
  name: "picture",
  execute: () => imageContent({ buffer: Buffer.from("iVBORw0KGgo=", "base64") }),
});
server.addTool({
  name: "refuse",
  async execute() {
    throw new UserError("It is refused.", { why: "so" });
  },
});
await server.start({ transportType: "stdio" });
