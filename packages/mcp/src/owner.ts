import { ownerTag, ResumableError } from "@resumable-mcp/core";
import { isStrongClientId } from "./client-id.js";

/** What is known of whoever makes a call. */
export interface CallerFacts {
  /** The authenticated subject. */
  readonly subject?: string | undefined;
  /** What the client program says of itself. */
  readonly clientId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The call came over stdio: there is one user. */
  readonly local: boolean;
}

/**
 * Says whose tasks a call may reach.
 *
 * An authenticated subject always wins; then a random `client_id`, then the session, then `local` on stdio. A
 * `client_id` that could be guessed is only a label inside the session. The kinds are tagged, so that no label can
 * pose as a subject.
 *
 * @throws {@link ResumableError} `NO_OWNER` when the call says nothing of its caller.
 */
export function resolveOwner({ subject, clientId, sessionId, local }: CallerFacts): string {
  if (subject !== undefined) return ownerTag("sub", subject);
  if (clientId !== undefined && isStrongClientId(clientId)) return ownerTag("client", clientId);
  const scope = sessionId ?? (local ? "local" : undefined);
  if (scope === undefined) {
    throw new ResumableError(
      "NO_OWNER",
      'The call does not say whose it is: it is not authenticated, has no session and no client_id. Open a session, or send "_meta": {"resumable-mcp/client_id": "<a random id of 128 bits>"}.',
      { details: {} },
    );
  }
  // A strong id never contains a slash, so a label cannot meet one.
  if (clientId !== undefined) return ownerTag("client", `${scope}/${clientId}`);
  return sessionId === undefined ? ownerTag("local", "local") : ownerTag("session", sessionId);
}
