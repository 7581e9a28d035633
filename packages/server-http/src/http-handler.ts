import type { Engine } from "@resumable-mcp/core";
import { type Connection, subjectOf } from "@resumable-mcp/mcp";
import { checkNames, type HostRules } from "./allowed-hosts.js";
import { type AuthInfo, authenticate, type VerifyToken } from "./bearer.js";
import { preflight, withCors } from "./cors.js";
import type { HttpLimits } from "./http-limits.js";
import type { Log } from "./log.js";
import { createRequestRates } from "./request-rates.js";

/** Answers one request to the MCP endpoint, after all checks. */
export type McpEndpoint = (request: Request, context: { readonly authInfo?: AuthInfo }) => Promise<Response>;

/** What stands around the MCP endpoint. */
export interface HttpHandlerOptions {
  readonly engine: Engine;
  readonly endpoint: McpEndpoint;
  /** The endpoint's path; a slash at the end makes no difference. */
  readonly path: string;
  readonly rules: HostRules;
  readonly verifyToken?: VerifyToken;
  /** Where clients can get tokens; for the protected-resource metadata. */
  readonly authorizationServers: readonly string[];
  readonly limits: HttpLimits;
  readonly log: Log;
}

const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * Makes the Web-standard handler of the whole server: names, CORS, health, authentication and rate limits, then the MCP
 * endpoint.
 *
 * Source: MCP 2025-11-25, Transports and Authorization; RFC 9728 for the metadata.
 */
export function createHttpHandler(
  options: HttpHandlerOptions,
): (request: Request, connection?: Connection) => Promise<Response> {
  const { engine, rules, log, verifyToken, limits } = options;
  const rates = createRequestRates(limits, () => performance.now());
  const path = withoutSlash(options.path);

  const enter = async (request: Request, url: URL, remoteAddress: string | undefined): Promise<Response> => {
    if (request.method === "OPTIONS") return preflight();
    const resource = new URL(path === "" ? "/" : path, url).href;
    const metadata = new URL(`${metadataPath}${path}`, url);
    if (verifyToken !== undefined && isMetadata(url, path))
      return metadataAnswer(resource, options.authorizationServers);
    if (withoutSlash(url.pathname) !== path) return new Response("Not found.\n", { status: 404 });
    if (verifyToken === undefined) {
      return tooManyRequests(rates.unknown(remoteAddress), limits) ?? options.endpoint(request, {});
    }
    const authInfo = await authenticate(request, verifyToken, metadata.href);
    if (authInfo instanceof Response) return tooManyRequests(rates.refused(remoteAddress), limits) ?? authInfo;
    const waitMs = rates.known(subjectOf(authInfo));
    return tooManyRequests(waitMs, limits) ?? options.endpoint(request, { authInfo });
  };

  return async (request, { remoteAddress } = { remoteAddress: undefined }) => {
    const url = new URL(request.url);
    const health = healthAnswer(url.pathname, engine);
    if (health !== undefined) return health;
    const problem = checkNames(request.headers, rules);
    const answer = problem === undefined ? await enter(request, url, remoteAddress) : refuse(403, problem);
    if (answer.status >= 400 && answer.status !== 405) {
      log(answer.status >= 500 ? "error" : "warn", "refused", { method: request.method, status: answer.status });
    }
    return problem === undefined ? withCors(answer, request.headers.get("origin")) : answer;
  };
}

function healthAnswer(path: string, engine: Engine): Response | undefined {
  if (path === "/healthz") return new Response("ok\n");
  if (path !== "/readyz") return undefined;
  return engine.draining ? new Response("draining\n", { status: 503 }) : new Response("ready\n");
}

function isMetadata(url: URL, path: string): boolean {
  return [metadataPath, `${metadataPath}${path}`].includes(withoutSlash(url.pathname));
}

function metadataAnswer(resource: string, servers: readonly string[]): Response {
  return Response.json({ resource, authorization_servers: servers, bearer_methods_supported: ["header"] });
}

function tooManyRequests(waitMs: number, { requestsPerSecond }: HttpLimits): Response | undefined {
  if (waitMs <= 0) return undefined;
  const answer = refuse(429, `You have reached requestsPerSecond = ${requestsPerSecond}. Try again a little later.`);
  answer.headers.set("retry-after", String(Math.ceil(waitMs / 1000)));
  return answer;
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status });
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
