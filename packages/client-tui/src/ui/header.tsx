import type { ServerInfo } from "@resumable-mcp/client";
import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText } from "../display/plain-text.js";
import { formatDuration } from "../display/progress-line.js";

/** The first line: the program's name and how its servers stand. */
export function Header({
  servers,
  columns,
}: {
  readonly servers: readonly ServerInfo[];
  readonly columns: number;
}): ReactNode {
  const states = servers.map(({ address, state }) => `${address} ${serverWord(state)}`);
  return <Text inverse>{cutText(` resumable-mcp · ${states.join(" · ")} `, columns)}</Text>;
}

/** How a server stands, in words. */
export function serverWord(state: ServerInfo["state"]): string {
  switch (state.name) {
    case "connected":
      return "live";
    case "waiting":
      return `reconnecting in ${formatDuration(state.nextDelayMs + 999)} (attempt ${state.attempt})`;
    case "connecting":
      return state.known ? "reconnecting" : "connecting";
    case "down":
      return `down: ${plainText(state.reason)}`;
    case "idle":
      return "not asked yet";
    case "closed":
      return "closed";
  }
}
