import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A server that knows nothing of tasks: of the official SDK alone. It says nothing of whether its tool may be called twice. */
const server = new McpServer({ name: "foreign", version: "1.0.0" });
const lookEveryMs = 50;

const inputSchema = { label: z.string(), folder: z.string(), units: z.number(), hold_after: z.number() };

server.registerTool(
  "count_plainly",
  { description: "Does units of work, and waits at a gate that is closed.", inputSchema },
  async ({ label, folder, units, hold_after }, { signal }) => {
    await writeFile(join(folder, `${label}.pid`), String(process.pid));
    for (let at = 1; at <= units; at++) {
      while (at === hold_after + 1 && hold_after > 0 && !existsSync(join(folder, `${label}.open`)))
        await sleep(lookEveryMs, undefined, { signal });
      await appendFile(join(folder, `${label}.units`), `${at}\n`);
    }
    return { content: [{ type: "text", text: JSON.stringify({ counted: units, label }) }] };
  },
);

await server.connect(new StdioServerTransport());
