import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { serve } from "@resumable-mcp/server-http";
import { createFsStore } from "@resumable-mcp/store-fs";
import { z } from "zod";

/** What a server says of the requests since it was asked before. */
export interface RequestCosts {
  /** The longest time in which nothing else was served. */
  readonly stallMs: number;
  /** The longest pause for garbage among them. */
  readonly collectionMs: number;
  /** Of all threads. */
  readonly processorMs: number;
  /** After a collection, as the next one. */
  readonly residentMiB: number;
  /** Of heap and buffers: what is not free for the next request. */
  readonly usedMiB: number;
}

// A server of one tool that takes anything. It tells its parent its address, then, when asked, what requests cost.
const [directory = ""] = process.argv.slice(2);
const takesAnything = defineTool({
  name: "take",
  description: "Takes any value.",
  input: z.object({ value: z.unknown() }),
  run: async () => "taken",
});
const { url } = await serve({
  definition: defineServer({ name: "costs", version: "1.0.0", tools: [takesAnything] }),
  store: createFsStore({ directory }),
  port: 0,
});
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
let collectionMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration);
}).observe({ entryTypes: ["gc"] });
let before = process.cpuUsage();
process.on("message", () => {
  const { user, system } = process.cpuUsage(before);
  const stallMs = delays.max / 1e6;
  const longest = collectionMs;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const costs: RequestCosts = {
    stallMs,
    collectionMs: longest,
    processorMs: (user + system) / 1_000,
    residentMiB: rss / 2 ** 20,
    usedMiB: (heapUsed + external) / 2 ** 20,
  };
  before = process.cpuUsage();
  delays.reset();
  // The collection above is reported in a later turn.
  setImmediate(() => {
    collectionMs = 0;
  });
  process.send?.(costs);
});
process.on("disconnect", () => process.exit());
process.send?.(url);
