import { startTimeLimit } from "@resumable-mcp/core/engine";
import { AuthorizationServerAway } from "./bearer.js";
import { authLimits } from "./limits.js";
import { secureUrl } from "./metadata.js";

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Why one request to an authorization server failed, where that says nothing of the next one. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

/**
 * Makes what asks an authorization server. After a failure it is not asked again for `retryFetchMs`: a server that is away
 * costs each caller little, and is not overrun when it returns.
 *
 * Limits: `fetchTimeoutMs`, for the whole answer.
 *
 * @param read gives what an answer says. An answer that it throws at counts as a failure, unless it throws
 * {@link RequestRefused}.
 * @throws {@link AuthorizationServerAway}.
 */
export function createPatientFetch<Answer>(
  read: (response: Response) => Promise<Answer>,
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
) {
  let failed: { readonly error: AuthorizationServerAway; readonly atMs: number } | undefined;
  return async (url: string, init: RequestInit = {}): Promise<Answer> => {
    if (failed !== undefined && performance.now() - failed.atMs < authLimits.retryFetchMs) throw failed.error;
    try {
      const answer = await inTime((signal) => fetch(url, { ...init, signal, redirect: "error" }).then(read));
      failed = undefined;
      return answer;
    } catch (cause) {
      const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : "";
      const error = new AuthorizationServerAway(`${url} could not be asked: ${why}`, { cause });
      if (!(cause instanceof RequestRefused)) failed = { error, atMs: performance.now() };
      throw error;
    }
  };
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
  const ask = createPatientFetch(readMetadata, fetch);
  for (const url of metadataUrls(issuer)) {
    const metadata = await ask(url, { headers: { accept: "application/json" } });
    if (metadata === undefined) continue;
    const { issuer: named, jwks_uri: keys } = metadata;
    if (named !== issuer) throw new AuthorizationServerAway(`${url} is the metadata of another issuer than ${issuer}.`);
    if (typeof keys !== "string") throw new AuthorizationServerAway(`${url} names no jwks_uri. Give --jwks-url.`);
    return secureUrl("jwks_uri", keys, true);
  }
  throw new AuthorizationServerAway(`${issuer} has no metadata. Give --jwks-url, or --introspection-url.`);
}

async function readMetadata(response: Response): Promise<Record<string, unknown> | undefined> {
  if (response.status >= 400 && response.status < 500) return undefined;
  if (response.status !== 200) throw statusOf(response);
  return Object(await response.json());
}

/** What a status says where only 200 is of use. */
export function statusOf({ status }: Response): Error {
  return new Error(`Status ${status}.`);
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
