import { setTimeout as pause } from "node:timers/promises";
import { createEngine, defineTool, type Engine, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { createFsStore } from "../src/create-fs-store.js";

export type Say = (what: "begins" | "ends", task: string) => void;

/** An engine whose tools have limits that count in all processes on its folder. What was cut off is done at once. */
export function limitedEngine(directory: string, say: Say): Engine {
  const work = (name: string, limits: Pick<Tool, "maxRunningInStore" | "rate">) =>
    defineTool({
      ...limits,
      name,
      description: "Works for a moment.",
      input: z.object({ n: z.number(), ms: z.number() }),
      durable: true,
      async run({ ms }, task) {
        say("begins", task.id);
        await pause(task.attempt === 1 ? ms : 0, undefined, { signal: task.signal });
        say("ends", task.id);
      },
    });
  return createEngine({
    store: createFsStore({ directory }),
    tools: [
      work("three_at_once", { maxRunningInStore: 3 }),
      work("three_in_an_hour", { rate: { limit: 3, per: "1h" } }),
    ],
    limits: { pollMs: 20, maxCrashesWithoutProgress: 1_000, crashBackoffMs: 0 },
  });
}
