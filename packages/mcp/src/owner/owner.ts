import { ResumableError } from "@resumable-mcp/core";
import { ownerTag } from "@resumable-mcp/core/engine";
import { isStrongClientId, maxClientIdLength, minLocalClientIdLength, strongClientIdForms } from "./client-id.js";

/** What is known of the caller. */
export interface CallerFacts {
  /** The authenticated subject. */
  readonly subject?: string | undefined;
  /** What the client program says of itself. */
  readonly clientId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Whether only the user of this machine can have sent the request, as over stdio. */
  readonly locality: Locality;
}

/**
 * Says whose tasks a call may reach.
 *
 * An authenticated subject always wins. Then a `client_id` decides: a random one of 128 bits everywhere, one of at
 * least 8 characters among local requests. Then local requests belong to the one user of the machine, and all others
 * to their session. A `client_id` that identifies no owner is only a label inside the session. The kinds are tagged,
 * so that no label can pose as a subject, and no `client_id` of a request that is not local as one of a local request.
 *
 * @throws {@link ResumableError} `NO_OWNER` when the call does not say who its caller is.
 */
export function resolveOwner({ subject, clientId, sessionId, locality }: CallerFacts): string {
  if (subject !== undefined) return ownerTag("sub", subject);
  if (clientId !== undefined && isStrongClientId(clientId)) return ownerTag("client", clientId);
  if (clientId === undefined) {
    if (locality.local) return ownerTag("local", "local");
    if (sessionId !== undefined) return ownerTag("session", sessionId);
    throw noOwner(
      `The call does not say whose it is: it has no token, no session and no client_id, ${notLocal(locality)}`,
    );
  }
  if (clientId.length > maxClientIdLength) {
    throw noOwner(
      `The client_id has ${clientId.length} characters; the limit maxClientIdLength is ${maxClientIdLength}.`,
    );
  }
  const identifies = locality.local && clientId.length >= minLocalClientIdLength;
  const scope = identifies ? "local" : (sessionId ?? (locality.local ? "local" : undefined));
  if (scope === undefined) {
    throw noOwner(
      `The client_id of the call can be guessed, so it identifies no owner: the call has no token and no session, ${notLocal(locality)}`,
    );
  }
  // A strong id contains no slash and no session has the id "local", so a label cannot meet one of another kind.
  return ownerTag("client", `${scope}/${clientId}`);
}

function notLocal(locality: Locality): string {
  return locality.local ? "" : `and it is not local: ${locality.reason}.`;
}

function noOwner(problem: string): ResumableError {
  const advice = `Send "_meta": {"resumable-mcp/client_id": "<128 random bits>"} (${strongClientIdForms}), or authenticate.`;
  return new ResumableError("NO_OWNER", `${problem} ${advice}`, { details: {} });
}

/** What a verified token says of whom it was given to. Source: MCP, Authorization. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly extra?: Record<string, unknown>;
}

/** The authenticated subject of a token: its `sub` where the verifier passed one on, else the client's id. */
export function subjectOf(token: VerifiedToken): string;
export function subjectOf(token: VerifiedToken | undefined): string | undefined;
export function subjectOf(token: VerifiedToken | undefined): string | undefined {
  const sub = token?.extra?.sub;
  return typeof sub === "string" && sub !== "" ? sub : token?.clientId;
}

/** Whether only the user of this machine can have sent a request; where not, why: the end of a sentence. */
export type Locality = { readonly local: true } | { readonly local: false; readonly reason: string };

/** The request came from the user of this machine. */
export const local: Locality = { local: true };

const unknown: Locality = { local: false, reason: "the server was not given that fact by what serves it" };

/** Kept apart from the requests: nothing that a client sends can be taken for it. */
const localities = new WeakMap<object, Locality>();

/** Notes what is known of a request, under the object that the SDKs pass on to handlers. */
export function noteLocality(request: object, locality: Locality | undefined): void {
  if (locality !== undefined) localities.set(request, locality);
}

/** Reads what was noted of a request; a request of which nothing is known is not local. */
export function localityOf(request: object | undefined): Locality {
  return (request === undefined ? undefined : localities.get(request)) ?? unknown;
}
