import { type Engine, type OwnedTasks, ResumableError } from "@resumable-mcp/core";
import { ownerTag } from "@resumable-mcp/core/internal";
import { hasControls } from "@resumable-mcp/protocol/display";
import { limits } from "../limits.js";
import { isStrongClientId, strongClientIdForms, unseenInClientId } from "./client-id.js";

/** What is known of the caller. */
export interface CallerFacts {
  /** The owner whom a token, or the server's author, authenticates. */
  readonly authenticated?: string | undefined;
  /** What the client program says of itself in the request. */
  readonly clientId?: string | undefined;
  /** What it said in an earlier one of the session. */
  readonly sessionClientId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Whether only the user of this machine can have sent the request, as over stdio. */
  readonly locality: Locality;
}

/**
 * Says whose tasks a request begins, finds and lists: docs/auth.md has the table. The kinds of owners are tagged, so that
 * no label can pose as a subject, and no `client_id` of a request that is not local as one of a local request.
 *
 * @throws {@link ResumableError} `NO_OWNER` when the request does not say who its caller is.
 */
export function resolveOwner(facts: CallerFacts): string {
  const { authenticated, clientId = facts.sessionClientId, sessionId, locality } = facts;
  if (authenticated !== undefined) return authenticated;
  if (clientId === undefined) {
    if (locality.local) return theLocalUser;
    if (sessionId !== undefined) return ownerTag("session", sessionId);
    throw noOwner(
      `The call does not name its owner: it has no token, no session and no client_id, ${notLocal(locality)}`,
    );
  }
  if (hasControls(clientId)) throw noOwner(unseenInClientId);
  if (clientId.length > limits.maxClientIdLength) {
    throw noOwner(
      `The client_id has ${clientId.length} characters; the limit maxClientIdLength is ${limits.maxClientIdLength}.`,
    );
  }
  const identifies = locality.local ? clientId.length >= limits.minLocalClientIdLength : isStrongClientId(clientId);
  const label = identifies || sessionId === undefined ? clientId : `${sessionId}/${clientId}`;
  if (locality.local) return `${localClients}${label}`;
  if (identifies || sessionId !== undefined) return ownerTag("client", label);
  throw noOwner(
    `The client_id of the call can be guessed, so it identifies no owner: the call has no token and no session, ${notLocal(locality)}`,
  );
}

/** Owner of what local requests begin that name no client. */
export const theLocalUser = ownerTag("local", "local");
/** How the owners begin of what the others begin. A strong id contains no slash, and no session has the id "local". */
const localClients = ownerTag("client", "local/");

/** Whether a request reaches by their ids, too, what other local requests began: it is one itself and names no client. */
function reachesLocal({ authenticated, clientId, locality }: CallerFacts): boolean {
  return authenticated === undefined && clientId === undefined && locality.local;
}

/** The tasks of a request's caller. @throws {@link ResumableError} `NO_OWNER`. */
export function tasksOfCaller(engine: Engine, facts: CallerFacts): OwnedTasks {
  const owner = resolveOwner(facts);
  if (!reachesLocal(facts)) return engine.forOwner(owner);
  return engine.forOwner(owner, { reaches: (other) => other === theLocalUser || other.startsWith(localClients) });
}

function notLocal(locality: Locality): string {
  return locality.local ? "" : `and it is not local (${locality.reason}).`;
}

function noOwner(problem: string): ResumableError {
  const advice = `Send "_meta": {"resumable-mcp/client_id": "<random bits>"} (${strongClientIdForms}), or authenticate.`;
  return new ResumableError("NO_OWNER", `${problem} ${advice}`, { details: {} });
}

/** What a verified token says of whom it was given to. Source: MCP, Authorization. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly scopes?: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /**
   * Calls back once when the token counts no more before it expires, as when its subject is banned, and not in the same turn;
   * the returned function prevents it.
   */
  readonly whenRevoked?: (onRevoked: () => void) => () => void;
  /** Claims: `sub` is the user, else those of {@link userClaims} say whether there is one; `iss` is who issued the token. */
  readonly extra?: Record<string, unknown>;
}

/** Claims that name a user where `sub` does not. Only `username` identifies them: the others change, or are given again. */
export const userClaims = ["username", "preferred_username", "email", "upn"] as const;

/**
 * The owner that a token authenticates: a subject of an issuer, or the user name where it has no subject. A token that names
 * no user, or whose subject is the client itself, was given to a program: no client can choose an id by which it meets a user.
 *
 * Source: RFC 9068, section 5 (subjects are unique only within their issuer; ids of clients may equal those of users);
 * RFC 7662, section 2.2 (`username` without `sub`).
 * @throws {@link ResumableError} `NO_OWNER` for a token that does not say which user it is of.
 */
export function ownerOfToken(token: VerifiedToken): string;
export function ownerOfToken(token: VerifiedToken | undefined): string | undefined;
export function ownerOfToken(token: VerifiedToken | undefined): string | undefined {
  if (token === undefined) return undefined;
  const { clientId, extra = {} } = token;
  const { sub, iss, username } = extra;
  const issuer = isName(iss) ? iss : undefined;
  if (sub !== undefined && !isName(sub)) throw unclearUser("Its sub is not a text with characters.");
  if (sub !== undefined && sub !== clientId) return ownerTag("sub", withinIssuer(sub, issuer));
  const named = userClaims.find((claim) => namesUser(extra[claim]) && extra[claim] !== sub);
  if (named === undefined) return ownerTag("app", withinIssuer(clientId, issuer));
  if (named === "username" && isName(username)) return ownerTag("user", withinIssuer(username, issuer));
  throw unclearUser(`It names a user by ${named}, and has no sub of that user.`);
}

function unclearUser(problem: string): ResumableError {
  const message = `The token does not say whose it is. ${problem} Let the authorization server put a sub into its tokens, as a text.`;
  return new ResumableError("NO_OWNER", message, { details: {} });
}

/** Some servers write `null`, or an empty text, for what a token does not have. */
function namesUser(claim: unknown): boolean {
  return claim !== undefined && claim !== null && claim !== "";
}

function isName(claim: unknown): claim is string {
  return typeof claim === "string" && claim !== "";
}

/** The owner of a subject that the server's author names. */
export function ownerOfSubject(subject: string): string;
export function ownerOfSubject(subject: string | undefined): string | undefined;
export function ownerOfSubject(subject: string | undefined): string | undefined {
  return subject === undefined ? undefined : ownerTag("sub", withinIssuer(subject, undefined));
}

/** The space ends the issuer. Neither part may hold one where the other could be read out of it. */
function withinIssuer(id: string, issuer: string | undefined): string {
  const escaped = (text: string) => text.replace(/[% ]/g, encodeURIComponent);
  return issuer === undefined ? escaped(id) : `${escaped(issuer)} ${id}`;
}

/** The longest delay that timers accept, 24 days. */
const maxDelayMs = 2 ** 31 - 1;

/** Why a token counts no more. Of one that expired the caller may have the next one. */
export type TokenEnd = "expired" | "revoked";

/** Calls back once when a token counts no more; the returned function prevents it. */
export function whenEnded(token: VerifiedToken | undefined, onEnded: (why: TokenEnd) => void): () => void {
  const stops: (() => void)[] = [];
  const stop = (): void => {
    for (const one of stops.splice(0)) one();
  };
  const end = (why: TokenEnd) => (): void => {
    stop();
    onEnded(why);
  };
  if (token?.expiresAt !== undefined) stops.push(atTime(token.expiresAt * 1_000, end("expired")));
  if (token?.whenRevoked !== undefined) stops.push(token.whenRevoked(end("revoked")));
  return stop;
}

/** Calls back when a time of the wall clock comes. */
function atTime(timeMs: number, onTime: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const delayMs = Math.max(0, timeMs - Date.now());
    timer = setTimeout(delayMs > maxDelayMs ? arm : onTime, Math.min(delayMs, maxDelayMs)).unref();
  };
  arm();
  return () => clearTimeout(timer);
}

/** Whether only the user of this machine can have sent a request; where not, why: the end of a sentence. */
export type Locality = { readonly local: true } | { readonly local: false; readonly reason: string };

/** The request came from the user of this machine. */
export const local: Locality = { local: true };

/** Nothing is known of where a request came from. */
export const unknownLocality: Locality = {
  local: false,
  reason: "the server program does not say which requests are local",
};

/** No JSON has such a key: nothing that a client sends can be taken for it. */
const noted = Symbol("resumable-mcp locality");

type Noted = object & { [noted]?: Locality };

/** Notes what is known of a request, under the object that the SDKs pass on to handlers. */
export function noteLocality(request: Noted, locality: Locality | undefined): void {
  if (locality !== undefined) request[noted] = locality;
}

/** Reads what was noted of a request; a request of which nothing is known is not local. */
export function findLocality(request: Noted | undefined): Locality {
  return request?.[noted] ?? unknownLocality;
}
