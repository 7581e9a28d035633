import type { Client } from "@resumable-mcp/client";

/** What a user reads first: which client this is, and what happened to its state file. */
export function openingNotices(client: Client): readonly string[] {
  return [...originNotices(client), ...client.notices];
}

function originNotices({ stateOrigin, clientId, summary }: Client): readonly string[] {
  if (stateOrigin === "found") return [`Reusing Persistent Client ID ${clientId}.`];
  return stateOrigin === "created" ? [`No state found at ${summary().stateFile}: a new one begins.`] : [];
}
