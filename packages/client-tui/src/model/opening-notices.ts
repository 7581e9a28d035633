import type { Client } from "@resumable-mcp/client";

/** What a user reads first: which client this is, and what happened to its state file. */
export function openingNotices({ stateOrigin, clientId, summary, notices }: Client): readonly string[] {
  if (stateOrigin === "found") return [`Reusing Persistent Client ID ${clientId}.`, ...notices];
  const begun = `No state found at ${summary().stateFile}: a new one begins.`;
  return stateOrigin === "created" ? [begun, ...notices] : notices;
}
