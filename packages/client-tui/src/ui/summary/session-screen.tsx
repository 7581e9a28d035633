import type { Client } from "@resumable-mcp/client";
import type { ReactNode } from "react";
import { sessionLines } from "../../display/summary-lines.js";
import { TextPage } from "../parts/text-page.js";

/** Who this client is, and what it remembers. */
export function SessionScreen(props: {
  readonly client: Client;
  readonly columns: number;
  readonly rows: number;
  readonly onBack: () => void;
}): ReactNode {
  const { client, columns, rows, onBack } = props;
  return (
    <TextPage title="Session" lines={sessionLines(client.summary())} columns={columns} rows={rows} onBack={onBack} />
  );
}
