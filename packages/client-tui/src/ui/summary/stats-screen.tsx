import type { Client, ServerStats } from "@resumable-mcp/client";
import type { ReactNode } from "react";
import { countLines } from "../../display/summary-lines.js";
import { TextPage } from "../parts/text-page.js";
import { type Loaded, useLoaded } from "../parts/use-loaded.js";

/** How many tasks of which status there are. */
export function StatsScreen(props: {
  readonly client: Client;
  readonly columns: number;
  readonly rows: number;
  readonly onBack: () => void;
}): ReactNode {
  const { client, columns, rows, onBack } = props;
  const stats = useLoaded(() => client.stats());
  return <TextPage title="Statistics" lines={statsLines(stats)} columns={columns} rows={rows} onBack={onBack} />;
}

/** The statistics screen: how many tasks of which status each server keeps. */
export function statsLines(stats: Loaded<readonly ServerStats[]>): readonly string[] {
  if (stats.name === "asking") return ["Asking the servers…"];
  if (stats.name === "failed") return [stats.problem];
  if (stats.value.length === 0) return ["There are no servers: 5 in the menu adds one."];
  return stats.value.flatMap(countLines);
}
