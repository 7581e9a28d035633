import type { Client, ClientSummary } from "@resumable-mcp/client";
import { reusing } from "./summary-lines.js";

/** Says whose tasks a client shows: on servers that say so, those of this machine's user. */
export function whoseTasks({ clientId, servers }: Pick<ClientSummary, "clientId" | "servers">): string {
  const named = servers.filter((server) => server.clientId !== undefined).length;
  if (named === 0) return "These are the tasks of this machine's user.";
  const elsewhere = named < servers.length ? ", and on this machine those of its user" : "";
  return `These are the tasks of the client ID ${clientId}${elsewhere}.`;
}

/** What a user reads first: which client this is, and what happened to its state file. */
export function openingNotices({ stateOrigin, clientId, summary, servers, notices }: Client): readonly string[] {
  if (stateOrigin === "found") {
    const isUsed = servers().some((server) => server.clientId !== undefined);
    return [isUsed ? reusing(clientId) : whoseTasks({ clientId, servers: servers() }), ...notices];
  }
  const begun = `No state found at ${summary().stateFile}: a new one begins.`;
  return stateOrigin === "created" ? [begun, ...notices] : notices;
}
