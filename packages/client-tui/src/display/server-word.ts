import type { ServerInfo } from "@resumable-mcp/client";
import { plainText } from "./plain-text.js";
import { formatDuration } from "./progress-line.js";

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
