import type { Client } from "@resumable-mcp/client";
import type { ReactNode } from "react";
import type { TaskBoard } from "../../model/task-board.js";
import { TextPage } from "../text-page.js";
import { useLoaded } from "../use-loaded.js";
import { statsLines } from "./stats-lines.js";

/** How many tasks of which status there are. */
export function StatsScreen(props: {
  readonly client: Client;
  readonly board: TaskBoard;
  readonly columns: number;
  readonly rows: number;
  readonly onBack: () => void;
}): ReactNode {
  const { client, board, columns, rows, onBack } = props;
  const stats = useLoaded(() => client.stats(), board);
  return <TextPage title="Statistics" lines={statsLines(stats)} columns={columns} rows={rows} onBack={onBack} />;
}
