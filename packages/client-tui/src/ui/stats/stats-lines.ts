import type { ServerStats } from "@resumable-mcp/client";

/** The statistics screen: how many tasks of which status each server keeps. */
export function statsLines(stats: readonly ServerStats[] | undefined): readonly string[] {
  if (stats === undefined) return ["Asking the servers…"];
  return stats.flatMap(({ server, counts, total }) => [
    server,
    ...Object.entries(counts).map(([status, count]) => `  ${status.padEnd(15)} ${count}`),
    `  ${"total".padEnd(15)} ${total}`,
  ]);
}
