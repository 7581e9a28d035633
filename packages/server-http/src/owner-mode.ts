import { type Locality, local } from "@resumable-mcp/mcp";
import { judgeLocality, type LocalityFacts, reasonAgainstServer, type ServerFacts } from "./judge-locality.js";

/**
 * Whose tasks a call without a token reaches. `auto`: local requests are those of one user. `single-user`: all requests
 * are, also through a proxy. `session`: none are, so every session has tasks of its own.
 */
export type OwnerMode = "auto" | "single-user" | "session";

/** Decides whether a request counts as local. Pure. */
export function judgeCaller(mode: OwnerMode, facts: LocalityFacts): Locality {
  if (mode === "single-user") return local;
  return mode === "auto" ? judgeLocality(facts) : { local: false, reason: "the server has --owner session" };
}

/** Says in one line whose tasks calls to a server reach. */
export function ownerSentence(mode: OwnerMode, facts: ServerFacts): string {
  if (facts.tokens) return "the subject of the token";
  if (mode === "single-user") return "the client_id, else one user for all calls (--single-user)";
  const reason = mode === "session" ? "--owner session" : reasonAgainstServer(facts);
  if (reason !== undefined) return `a client_id of 128 random bits, else the session (${reason})`;
  return "the client_id, else the user of this machine; through a proxy, the session (--owner auto)";
}
