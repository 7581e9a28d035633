import { errorSentence } from "@resumable-mcp/command-line";
import { isJsonObject, type Tool } from "@resumable-mcp/core";
import { isScope } from "@resumable-mcp/core/internal";
import { HttpAnswer, type HttpRequest, type RequestContext } from "@resumable-mcp/mcp";
import { missingScopes } from "@resumable-mcp/mcp/internal";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { type AdmittedToken, AuthorizationServerAway, readToken, type VerifyToken } from "./bearer.js";
import { toMetadataUrl } from "./metadata.js";

/** Who may call a server. */
export interface AuthorizationOptions {
  readonly verifyToken: VerifyToken;
  /** How long `verifyToken` may take. */
  readonly timeoutMs: number;
  /** Scopes that every token must have. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Tools, for the scopes that they require. */
  readonly tools: readonly Pick<Tool, "name" | "requiredScopes">[];
  /**
   * The URL of the endpoint as its callers know it, once it is known. It comes from the configuration, never from a
   * request.
   */
  readonly resource: () => string | undefined;
  /** Where clients get tokens. Without any there is no metadata: clients cannot sign in. */
  readonly authorizationServers: readonly string[];
  /** Hears why a token could not be checked, or does not say whose it is. The token is not part of it. */
  readonly onFailure: (message: string) => void;
}

/** Admits callers by their tokens. */
export interface Authorization {
  /** Finds out who calls, or refuses the request. */
  authenticate(request: Pick<HttpRequest, "header">): Promise<AdmittedToken | HttpAnswer>;
  /** Refuses the call of a tool for which the caller's token lacks scopes. */
  checkCall(body: unknown, context: RequestContext | undefined): HttpAnswer | undefined;
  /** The protected-resource metadata. Source: RFC 9728, section 2. */
  metadata(): object | undefined;
}

/** Stands in a header too, in quotes. */
const anotherToken = "Ask the operator of this server for another one, or sign in again.";
const refusals = {
  missing: "Send a bearer token in the header Authorization.",
  malformed: "The header Authorization is malformed. Send the word Bearer, one space and the token.",
  invalid: `The token is not valid. ${anotherToken}`,
  expired: `The token has expired. ${anotherToken}`,
};

/**
 * Makes what admits callers by their tokens.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Authorization; RFC 6750, section 3; RFC 9728, section 5.1.
 * @throws {@link Error} when a required scope is one that no token can have.
 */
export function createAuthorization(options: AuthorizationOptions): Authorization {
  const { verifyToken, timeoutMs, requiredScopes = [], tools, resource, authorizationServers, onFailure } = options;
  checkScopes("requiredScopes", [...requiredScopes, ...tools.flatMap((tool) => tool.requiredScopes ?? [])]);
  const toolScopes = new Map(tools.map((tool) => [tool.name, tool.requiredScopes ?? []]));
  const challenge = (facts: { error?: string; description?: string; scopes: readonly string[] }): string => {
    const url = authorizationServers.length === 0 ? undefined : resource();
    const parts = {
      error: facts.error,
      error_description: facts.error && facts.description,
      scope: facts.scopes.length === 0 ? undefined : [...new Set(facts.scopes)].join(" "),
      resource_metadata: url && toMetadataUrl(url),
    };
    const shown = Object.entries(parts).filter(([, value]) => value !== undefined);
    return ["Bearer", shown.map(([name, value]) => `${name}="${value}"`).join(", ")].join(" ").trimEnd();
  };
  const insufficient = (scopes: readonly string[]): HttpAnswer => {
    const description = `The token lacks a scope. Sign in again with: ${[...new Set(scopes)].join(" ")}.`;
    return refusal(403, description, challenge({ error: "insufficient_scope", description, scopes }));
  };
  return {
    async authenticate(request) {
      const verdict = await readToken(request, verifyToken, timeoutMs);
      if ("info" in verdict) {
        const { scopes } = verdict.info;
        return requiredScopes.every((scope) => scopes.includes(scope)) ? verdict.info : insufficient(requiredScopes);
      }
      if ("failed" in verdict) {
        onFailure(`A token could not be checked: ${errorSentence(verdict.failed)}`);
        return notChecked(verdict.failed);
      }
      if (verdict.why !== undefined) onFailure(`A token was refused: ${verdict.why}`);
      const description = refusals[verdict.refused];
      const { error, status } = errorOf(verdict.refused);
      return refusal(status, description, challenge({ error, description, scopes: requiredScopes }));
    },
    checkCall(body, { authInfo, locality = unknownLocality } = {}) {
      for (const name of calledTools(body)) {
        const scopes = toolScopes.get(name) ?? [];
        const missing = missingScopes({ requiredScopes: scopes }, { token: authInfo, locality });
        // What stands in a challenge is all that the call needs: a client adds it to what it has.
        if (missing.length > 0) return insufficient([...requiredScopes, ...scopes]);
      }
      return undefined;
    },
    metadata() {
      const url = resource();
      if (url === undefined || authorizationServers.length === 0) return undefined;
      const scopes = [...new Set([...requiredScopes, ...[...toolScopes.values()].flat()])];
      return {
        resource: url,
        authorization_servers: authorizationServers,
        scopes_supported: scopes.length === 0 ? undefined : scopes,
        bearer_methods_supported: ["header"],
      };
    },
  };
}

/** @throws {@link Error} that names what is not one scope. */
export function checkScopes(name: string, scopes: readonly string[]): void {
  // Source: MCP 2026-07-28, Authorization, "Refresh Tokens".
  if (scopes.includes("offline_access")) {
    throw new Error(
      `${name} must not have offline_access: it asks for refresh tokens, which no server requires. Leave it out.`,
    );
  }
  const bad = scopes.find((scope) => !isScope(scope));
  if (bad === undefined) return;
  throw new Error(`${name} wants one scope, without spaces, quotes and backslashes, not ${JSON.stringify(bad)}.`);
}

const unknownLocality = { local: false, reason: "the server program does not say which requests are local" } as const;

/** Names of the tools that a body calls: one, or those of a batch. */
function calledTools(body: unknown): readonly string[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message) => {
    if (!isJsonObject(message) || message.method !== "tools/call" || !isJsonObject(message.params)) return [];
    const { name } = message.params;
    return typeof name === "string" ? [name] : [];
  });
}

/** Source: RFC 6750, section 3.1: a request without a token has no error. */
function errorOf(refused: keyof typeof refusals): { readonly error: string | undefined; readonly status: 400 | 401 } {
  if (refused === "malformed") return { error: "invalid_request", status: 400 };
  return { error: refused === "missing" ? undefined : "invalid_token", status: 401 };
}

function notChecked(error: unknown): HttpAnswer {
  const message = "The server could not check the token. Try again later; the operator finds the cause in the log.";
  const isAway = error instanceof AuthorizationServerAway;
  const headers: Record<string, string> = isAway ? { "retry-after": "5" } : {};
  return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.internalError, message), isAway ? 503 : 500, headers);
}

function refusal(status: 400 | 401 | 403, message: string, challenge: string): HttpAnswer {
  const headers = { "www-authenticate": challenge, "cache-control": "no-store" };
  return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.notAccepted, message), status, headers);
}
