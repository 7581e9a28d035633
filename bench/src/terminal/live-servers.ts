import { setTimeout as delay } from "node:timers/promises";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { serve } from "@resumable-mcp/server-http";

/** What the process that serves live tasks is asked for. */
export interface ServersOrder {
  /** Each runs at most 16 tasks of one owner at a time. */
  readonly servers: number;
  readonly tickMs: number;
}

/** What it answers, first the addresses and then, whenever it is asked, how many events it has committed. */
export type ServersMessage = { readonly urls: readonly string[] } | { readonly events: number };

const order: ServersOrder = JSON.parse(process.argv[2] ?? "{}");
let events = 0;

const tick = defineTool({
  name: "tick",
  description: "Moves on and on.",
  input: {
    type: "object",
    properties: { number: { type: "integer" } },
    required: ["number"],
    additionalProperties: false,
  },
  state: { at: 0 },
  async *run(_input, task) {
    for (let at = task.state.at + 1; ; at += 1) {
      await delay(order.tickMs, undefined, { signal: task.signal });
      events += 1;
      yield { progress: at, total: 1_000_000, state: { at }, message: `Tick ${at}` };
    }
  },
});

const definition = defineServer({ name: "live", version: "1", tools: [tick] });
const running = await Promise.all(
  Array.from({ length: order.servers }, () => serve({ definition, store: createMemoryStore(), port: 0 })),
);
const tell = (message: ServersMessage) => process.send?.(message);
process.on("message", () => tell({ events }));
process.on("disconnect", () => process.exit(0));
tell({ urls: running.map(({ url }) => url) });
