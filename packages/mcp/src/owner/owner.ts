import { ResumableError } from "@resumable-mcp/core";
import { ownerTag } from "@resumable-mcp/core/engine";
import { limits } from "../limits.js";

/** The forms of a random id of 128 bits, for messages. */
const strongClientIdForms = "a version 4 UUID, 32 or more hexadecimal digits, or 22 or more base64url characters";

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const hex = /^(?=.*[0-9])([0-9a-f]{32,}|[0-9A-F]{32,})$/;
const base64url = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{22,}$/;
/** A random id of 22 characters or more has fewer with a probability below one in a million. */
const minDistinctCharacters = 8;

/**
 * Tells whether a self-asserted `client_id` has the form of 128 random bits, so that it can be an owner of its own.
 *
 * Accepted are a version 4 UUID (the other versions hold a time or an address), 32 or more hexadecimal digits, and 22
 * or more base64url characters of both cases that do not read like words. The form is an estimate: it keeps host and
 * user names from being owners, and cannot make an id secret that its owner tells others.
 */
export function isStrongClientId(clientId: string): boolean {
  if (clientId.length > limits.maxClientIdLength || new Set(clientId).size < minDistinctCharacters) return false;
  if (uuidV4.test(clientId)) return true;
  if (hex.test(clientId)) return /[a-f]/i.test(clientId);
  return base64url.test(clientId) && !readsLikeWords(clientId);
}

/** Letters of English text in a thousand, from `a` to `z`. Source: Lewand, Cryptological Mathematics (2000). */
const letterFrequencies = [
  81.7, 14.9, 27.8, 42.5, 127, 22.3, 20.2, 60.9, 69.7, 1.5, 7.7, 40.3, 24.1, 67.5, 75.1, 19.3, 0.95, 59.9, 63.3, 90.6,
  27.6, 9.8, 23.6, 1.5, 19.7, 0.74,
];

type Kind = "lower" | "upper" | "digit" | "sign";
type Shares = Readonly<Record<Kind, number>>;

/** How often each kind of character follows another in names such as `Johns-MacBook-Pro`. */
const inNames: Readonly<Record<Kind | "start", Shares>> = {
  start: { lower: 0.35, upper: 0.6, digit: 0.04, sign: 0.01 },
  lower: { lower: 0.72, upper: 0.14, digit: 0.05, sign: 0.09 },
  upper: { lower: 0.8, upper: 0.12, digit: 0.02, sign: 0.06 },
  digit: { lower: 0.1, upper: 0.2, digit: 0.55, sign: 0.15 },
  sign: { lower: 0.2, upper: 0.6, digit: 0.19, sign: 0.01 },
};
const inRandomIds: Shares = { lower: 26 / 64, upper: 26 / 64, digit: 10 / 64, sign: 2 / 64 };

/** Of 16 random bytes as base64url, fewer than one in ten thousand reads like words by so much. */
const leastEvidenceBits = 8;

/**
 * Tells whether a text of base64url characters reads like words rather than like random bytes: compares how likely
 * names and random bytes are to give its letters and its sequence of small and capital letters, digits and signs.
 */
export function readsLikeWords(text: string): boolean {
  let bits = 0;
  let before: Kind | "start" = "start";
  for (const character of text) {
    const kind = kindOf(character);
    bits += Math.log2(inNames[before][kind] / inRandomIds[kind]) + letterBits(character);
    before = kind;
  }
  return bits >= leastEvidenceBits;
}

function kindOf(character: string): Kind {
  if (character >= "a" && character <= "z") return "lower";
  if (character >= "A" && character <= "Z") return "upper";
  return character >= "0" && character <= "9" ? "digit" : "sign";
}

function letterBits(character: string): number {
  const frequency = letterFrequencies[character.toLowerCase().charCodeAt(0) - "a".charCodeAt(0)];
  return frequency === undefined ? 0 : Math.log2((frequency / 1000) * letterFrequencies.length);
}

/** What is known of the caller. */
export interface CallerFacts {
  /** The owner whom a token, or the server's author, authenticates. */
  readonly authenticated?: string | undefined;
  /** What the client program says of itself. */
  readonly clientId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Whether only the user of this machine can have sent the request, as over stdio. */
  readonly locality: Locality;
}

/**
 * Says whose tasks a call may reach.
 *
 * An authenticated owner always wins. Then a `client_id` decides: a random one of 128 bits everywhere, one of at
 * least 8 characters among local requests. Then local requests belong to the one user of the machine, and all others
 * to their session. A `client_id` that identifies no owner is only a label inside the session. The kinds are tagged,
 * so that no label can pose as a subject, and no `client_id` of a request that is not local as one of a local request.
 *
 * @throws {@link ResumableError} `NO_OWNER` when the call does not say who its caller is.
 */
export function resolveOwner({ authenticated, clientId, sessionId, locality }: CallerFacts): string {
  if (authenticated !== undefined) return authenticated;
  if (clientId !== undefined && isStrongClientId(clientId)) return ownerTag("client", clientId);
  if (clientId === undefined) {
    if (locality.local) return ownerTag("local", "local");
    if (sessionId !== undefined) return ownerTag("session", sessionId);
    throw noOwner(
      `The call does not name its owner: it has no token, no session and no client_id, ${notLocal(locality)}`,
    );
  }
  if (clientId.length > limits.maxClientIdLength) {
    throw noOwner(
      `The client_id has ${clientId.length} characters; the limit maxClientIdLength is ${limits.maxClientIdLength}.`,
    );
  }
  const identifies = locality.local && clientId.length >= limits.minLocalClientIdLength;
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
  return locality.local ? "" : `and it is not local (${locality.reason}).`;
}

function noOwner(problem: string): ResumableError {
  const advice = `Send "_meta": {"resumable-mcp/client_id": "<128 random bits>"} (${strongClientIdForms}), or authenticate.`;
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

const unknown: Locality = { local: false, reason: "the server program does not say which requests are local" };

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
