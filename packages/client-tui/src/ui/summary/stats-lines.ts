import type { ServerStats } from "@resumable-mcp/client";
import type { Loaded } from "../parts/use-loaded.js";

/** The statistics screen: how many tasks of which status each server keeps. */
export function statsLines(stats: Loaded<readonly ServerStats[]>): readonly string[] {
  if (stats.name === "asking") return ["Asking the servers…"];
  if (stats.name === "failed") return [stats.problem];
  if (stats.value.length === 0) return ["There are no servers: 5 in the menu adds one."];
  return stats.value.flatMap(({ server, counts, total }) => [
    server,
    ...Object.entries(counts).map(([status, count]) => `  ${status.padEnd(15)} ${count}`),
    `  ${"total".padEnd(15)} ${total}`,
  ]);
}
