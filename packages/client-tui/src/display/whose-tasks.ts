import type { ClientSummary } from "@resumable-mcp/client";

/** Says whose tasks a client shows: on servers that say so, those of this machine's user. */
export function whoseTasks({ clientId, servers }: Pick<ClientSummary, "clientId" | "servers">): string {
  const named = servers.filter((server) => server.clientId !== undefined).length;
  if (named === 0) return "These are the tasks of this machine's user.";
  const elsewhere = named < servers.length ? ", and on this machine those of its user" : "";
  return `These are the tasks of the client ID ${clientId}${elsewhere}.`;
}
