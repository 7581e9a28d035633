import { isJsonObject } from "@resumable-mcp/core";
import { startTimeLimit } from "@resumable-mcp/core/internal";
import { parseJson } from "@resumable-mcp/protocol";
import { AuthorizationServerAway } from "./bearer.js";
import { authLimits } from "./limits.js";
import { secureUrl } from "./metadata.js";

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** What an authorization server answered. */
export interface ServerAnswer {
  readonly status: number;
  /** Its JSON; `undefined` where it is none. */
  readonly body: unknown;
}

interface Failure {
  readonly error: AuthorizationServerAway;
  readonly atMs: number;
}

/**
 * Makes what asks an authorization server. After a failure it is not asked about the same thing for `retryFetchMs`, and after
 * failures of `maxFailuresInRow` different ones in a row about nothing: a server that is away costs each caller little, and is
 * not overrun when it returns.
 *
 * Limits: `fetchTimeoutMs` for the whole answer, `maxAnswerBytes`, `maxCachedTokens` failures that are remembered.
 *
 * @param options.read gives what an answer says. An answer that it throws at counts as a failure.
 * @throws {@link AuthorizationServerAway}.
 */
export function createPatientFetch<Answer>(options: {
  readonly read: (answer: ServerAnswer) => Answer;
  readonly fetch?: Fetch | undefined;
  readonly maxFailuresInRow?: number;
}) {
  const { read, fetch = (url, init) => globalThis.fetch(url, init), maxFailuresInRow = 1 } = options;
  const failures = new Map<string, Failure>();
  const inRow = new Set<string>();
  let stopped: Failure | undefined;
  const fail = (url: string, about: string, cause: unknown): never => {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : "";
    const error = new AuthorizationServerAway(`${url} could not be asked: ${why}`, { cause });
    const failure = { error, atMs: performance.now() };
    putBounded(failures, about, failure);
    if (inRow.add(about).size >= maxFailuresInRow) {
      inRow.clear();
      stopped = failure;
    }
    throw error;
  };
  /** `about`: what the answer is about, where one address answers about several things. */
  return async (url: string, init: RequestInit = {}, about = url): Promise<Answer> => {
    const recent = [stopped, failures.get(about)].find(isRecent);
    if (recent !== undefined) throw recent.error;
    try {
      const ask = (signal: AbortSignal) => fetch(url, { ...init, signal, redirect: "error" }).then(readBounded);
      const answer = read(await inTime(ask));
      inRow.clear();
      stopped = undefined;
      return answer;
    } catch (cause) {
      return fail(url, about, cause);
    }
  };
}

function isRecent(failure: Failure | undefined): failure is Failure {
  return failure !== undefined && performance.now() - failure.atMs < authLimits.retryFetchMs;
}

/** Puts an entry behind all others. Limits: `maxCachedTokens`; the oldest is forgotten first. */
export function putBounded<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > authLimits.maxCachedTokens && oldest !== undefined) entries.delete(oldest);
}

/** Limits: `maxAnswerBytes`. */
async function readBounded(response: Response): Promise<ServerAnswer> {
  const { maxAnswerBytes } = authLimits;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxAnswerBytes) throw new Error(`The answer has more than ${maxAnswerBytes} bytes.`);
    chunks.push(chunk);
  }
  return { status: response.status, body: parseJson(Buffer.concat(chunks).toString()) };
}

async function inTime<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const controller = new AbortController();
  const { fetchTimeoutMs } = authLimits;
  const stop = startTimeLimit(fetchTimeoutMs, () =>
    controller.abort(new Error(`No answer within ${fetchTimeoutMs} ms.`)),
  );
  try {
    return await ask(controller.signal);
  } finally {
    stop();
  }
}

/**
 * Finds the address of an authorization server's keys.
 *
 * Source: RFC 8414, section 3; OpenID Connect Discovery 1.0, section 4; MCP, Authorization, "Authorization Server Metadata
 * Discovery", for the order. An address that answers with a status of 400 to 499 has no metadata, whatever the status.
 * @throws {@link AuthorizationServerAway} also when its metadata is of another issuer, or names no keys.
 */
export async function discoverKeys(issuer: string, fetch?: Fetch): Promise<URL> {
  const ask = createPatientFetch({ read: readMetadata, fetch });
  for (const url of metadataUrls(issuer)) {
    const metadata = await ask(url, { headers: { accept: "application/json" } });
    if (metadata === undefined) continue;
    const { issuer: named, jwks_uri: keys } = metadata;
    if (named !== issuer) throw new AuthorizationServerAway(`${url} is the metadata of another issuer than ${issuer}.`);
    if (typeof keys !== "string")
      throw new AuthorizationServerAway(`${url} names no jwks_uri. Set RESUMABLE_MCP_JWKS_URL.`);
    return secureUrl("jwks_uri", keys, true);
  }
  throw new AuthorizationServerAway(
    `${issuer} has no metadata. Set RESUMABLE_MCP_JWKS_URL or RESUMABLE_MCP_INTROSPECTION_URL.`,
  );
}

function readMetadata(answer: ServerAnswer): Record<string, unknown> | undefined {
  if (answer.status >= 400 && answer.status < 500) return undefined;
  if (answer.status !== 200 || !isJsonObject(answer.body)) throw uselessAnswer(answer);
  return answer.body;
}

/** Says why an answer is of no use. */
export function uselessAnswer({ status }: ServerAnswer): Error {
  return new Error(status === 200 ? "It does not answer what it should." : `Status ${status}.`);
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
