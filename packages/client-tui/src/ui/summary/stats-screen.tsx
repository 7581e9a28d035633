import type { Client } from "@resumable-mcp/client";
import type { ReactNode } from "react";
import { TextPage } from "../parts/text-page.js";
import { useLoaded } from "../parts/use-loaded.js";
import { statsLines } from "./stats-lines.js";

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
