import type { Client } from "@resumable-mcp/client";
import { reusing } from "../display/summary-lines.js";
import { whoseTasks } from "../display/whose-tasks.js";

/** What a user reads first: which client this is, and what happened to its state file. */
export function openingNotices({ stateOrigin, clientId, summary, servers, notices }: Client): readonly string[] {
  if (stateOrigin === "found") {
    const isUsed = servers().some((server) => server.clientId !== undefined);
    return [isUsed ? reusing(clientId) : whoseTasks({ clientId, servers: servers() }), ...notices];
  }
  const begun = `No state found at ${summary().stateFile}: a new one begins.`;
  return stateOrigin === "created" ? [begun, ...notices] : notices;
}
