import { randomBytes } from "node:crypto";
import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import { OAuthError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/sdk/shared/auth.js";
import { ClientError, isClientError } from "../client-error.js";
import type { ClientLimits } from "../limits.js";
import { isSecure } from "./authorization-server.js";
import { listenForCallback } from "./callback-listener.js";
import type { CredentialsFile } from "./credentials-file.js";
import { readTokens, StoredOAuthProvider } from "./oauth-provider.js";

/** How a user signs in. */
export interface SignInOptions {
  /**
   * Shows the user the page of the authorization server. `receive` takes the address to which the browser was sent
   * afterwards, for a browser on another machine; it tells whether that was the answer.
   */
  readonly onPage: (url: string, receive: (redirected: string) => boolean) => void;
  /** A client id that was registered by hand, where the authorization server has no dynamic registration. */
  readonly clientId?: string;
  /**
   * Scopes to ask for in addition to those of the sign-in before, with spaces between them. Default: those that the server
   * names to a caller without a token, and no others.
   */
  readonly scope?: string;
  /** The port of 127.0.0.1 that the browser comes back to; by default any that is free. */
  readonly callbackPort?: number;
  readonly signal?: AbortSignal;
}

/** What signing in works with. */
export interface SignInContext {
  readonly address: string;
  readonly credentials: CredentialsFile;
  readonly limits: Pick<ClientLimits, "requestTimeoutMs" | "signInTimeoutMs">;
}

/**
 * Signs the user in with the authorization server that a server names, and keeps the tokens.
 *
 * @throws {@link ClientError} `UNAUTHORIZED` when it was refused, `SIGN_IN_FAILED`, `SERVER_UNREACHABLE`, `ABORTED`.
 */
export async function signIn(context: SignInContext, options: SignInOptions): Promise<void> {
  const { address, credentials, limits } = context;
  const state = randomBytes(32).toString("base64url");
  const granted = readTokens(await credentials.read(address))?.scope;
  const challenge = await askForChallenge(context);
  const callback = await listenForCallback(state, options.callbackPort);
  const signals = [AbortSignal.timeout(limits.signInTimeoutMs), ...(options.signal ? [options.signal] : [])];
  const provider = new StoredOAuthProvider({
    address,
    credentials,
    redirectUrl: callback.redirectUrl,
    state,
    fresh: true,
    onRedirect: (url) => options.onPage(webPage(url, address), callback.receive),
    clientId: options.clientId,
  });
  const fetchFn = (url: string | URL, init?: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.timeout(limits.requestTimeoutMs) });
  const scope = options.scope === undefined ? challenge.scope : allScopes(granted, options.scope);
  const flow = { serverUrl: address, fetchFn, ...challenge, scope };
  try {
    await auth(provider, flow);
    const answer = await orAborted(callback.answer, AbortSignal.any(signals), options.signal);
    checkIssuer(answer.iss, provider.discoveryState()?.authorizationServerMetadata);
    if ("error" in answer) {
      throw new ClientError("UNAUTHORIZED", `The sign-in was refused (${answer.error}). Try again.`);
    }
    await auth(provider, { ...flow, authorizationCode: answer.code });
  } catch (error) {
    throw isClientError(error) ? error : failed(address, error, (await provider.clientInformation()) !== undefined);
  } finally {
    callback.close();
  }
}

/**
 * Refuses an answer that another authorization server sent: a code must reach none but the one that gave it.
 *
 * Source: RFC 9207, section 2.4; MCP 2026-07-28, Authorization.
 */
function checkIssuer(iss: string | undefined, metadata: AuthorizationServerMetadata | undefined): void {
  const isPromised =
    metadata !== undefined && Reflect.get(metadata, "authorization_response_iss_parameter_supported") === true;
  if (iss === undefined ? !isPromised : iss === metadata?.issuer) return;
  const sender = iss === undefined ? "does not say which authorization server sent it" : `came from ${iss}`;
  throw new Error(`the answer ${sender}, and ${metadata?.issuer} was asked. Sign in again`);
}

/** A server may name for one call what that call alone needs: what the user has is not lost by it. */
function allScopes(granted = "", wanted: string): string {
  return [...new Set(`${granted} ${wanted}`.split(" "))].filter((scope) => scope !== "").join(" ");
}

/** What a server names as its page is opened on the user's machine: a file or a program must not be. */
function webPage(url: URL, address: string): string {
  if (isSecure(url)) return url.href;
  throw new ClientError(
    "SIGN_IN_FAILED",
    `${address} names a sign-in page of ${url.protocol}, which is not a web page of https. The page was not opened. Ask the operator of the server.`,
  );
}

/** Asks without a token: the refusal says where the authorization server is. */
async function askForChallenge({
  address,
  limits,
}: SignInContext): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "sign-in", method: "ping" }),
    signal: AbortSignal.timeout(limits.requestTimeoutMs),
  }).catch((error: unknown) => {
    throw new ClientError("SERVER_UNREACHABLE", `No server answers at ${address} (${reasonOf(error)}).`, {
      cause: error,
    });
  });
  await answer.body?.cancel();
  if (answer.status !== 401) {
    throw new ClientError("SIGN_IN_FAILED", `${address} needs no sign-in (HTTP ${answer.status}): use it without one.`);
  }
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  return {
    resourceMetadataUrl,
    scope,
  };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal, outer: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () =>
      reject(
        outer?.aborted === true
          ? new ClientError("ABORTED", "The sign-in was aborted.")
          : new ClientError("SIGN_IN_FAILED", "The browser did not come back in time. Sign in again."),
      );
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject);
  });
}

function failed(address: string, error: unknown, isRegistered: boolean): ClientError {
  const isRefused = error instanceof OAuthError && !isRegistered;
  const said = error instanceof OAuthError && error.message === "" ? error.errorCode : reasonOf(error);
  const reason = isRefused ? `the authorization server did not register this client: ${said}` : said;
  const byHand =
    isRefused || /dynamic client registration/i.test(said)
      ? " Register a client by hand and give its id (--client-id)."
      : "";
  return new ClientError("SIGN_IN_FAILED", `Signing in to ${address} failed (${reason}).${byHand}`, { cause: error });
}

/** What `fetch` throws says only that it failed; the reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
