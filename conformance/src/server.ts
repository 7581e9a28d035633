import { parseArgs } from "node:util";
import { createMemoryStore } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { serve } from "@resumable-mcp/server-http";
import { createFsStore } from "@resumable-mcp/store-fs";
import { askingTools } from "./asking-tools.js";
import { contentTools } from "./contents.js";
import { runningTools, schemaTools, taskTools } from "./running-tools.js";
import { setup2025 } from "./setup-2025.js";
import { setup2026 } from "./setup-2026.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "8001" }, store: { type: "string" } },
});

const definition = defineServer({
  name: "resumable-mcp-conformance",
  version: "1.0.0",
  tools: [...contentTools, ...runningTools, ...schemaTools, ...askingTools, ...taskTools],
  setup: setup2025,
  setup2026,
});

const server = await serve({
  definition,
  store: values.store === undefined ? createMemoryStore() : createFsStore({ directory: values.store }),
  port: Number(values.port),
});
process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
process.stderr.write(`listening on ${server.url}\n`);
