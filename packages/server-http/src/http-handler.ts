import type { Engine } from "@resumable-mcp/core";
import { type Connection, HttpAnswer, type HttpRequest, ofWebRequest, subjectOf } from "@resumable-mcp/mcp";
import { checkNames, type HostRules } from "./allowed-hosts.js";
import { type AuthInfo, authenticate, type VerifyToken } from "./bearer.js";
import { preflight, withCors } from "./cors.js";
import type { HttpLimits } from "./http-limits.js";
import type { Log } from "./log.js";
import { createRequestRates } from "./request-rates.js";

/** Answers one request to the MCP endpoint, after all checks. */
export type McpEndpoint = (request: Request, context: { readonly authInfo?: AuthInfo }) => Promise<Response>;

/** The same without Web-standard requests and answers. */
export type AnswerMcp = (request: HttpRequest, context: { readonly authInfo?: AuthInfo }) => Promise<HttpAnswer>;

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
  const { endpoint, ...rest } = options;
  const answerMcp: AnswerMcp = async (request, context) => HttpAnswer.ofWeb(await endpoint(request.toWeb(), context));
  const answer = createHttpEntry({ ...rest, answerMcp });
  return async (request, connection) => (await answer(ofWebRequest(request), connection)).toWeb();
}

/** The same without Web-standard requests and answers: they cost more than all else that is done with a small call. */
export function createHttpEntry(
  options: Omit<HttpHandlerOptions, "endpoint"> & { readonly answerMcp: AnswerMcp },
): (request: HttpRequest, connection?: Connection) => Promise<HttpAnswer> {
  const { engine, rules, log, verifyToken, limits, answerMcp } = options;
  const rates = createRequestRates(limits, () => performance.now());
  const path = withoutSlash(options.path);

  const enter = async (request: HttpRequest, remoteAddress: string | undefined): Promise<HttpAnswer> => {
    const { url } = request;
    if (request.method === "OPTIONS") return preflight();
    if (verifyToken !== undefined && isMetadata(url, path)) {
      return metadataAnswer(new URL(path === "" ? "/" : path, url).href, options.authorizationServers);
    }
    if (withoutSlash(url.pathname) !== path) return new HttpAnswer(404, plain, "Not found.\n");
    if (verifyToken === undefined) {
      return tooManyRequests(rates.unknown(remoteAddress), limits) ?? answerMcp(request, {});
    }
    const authInfo = await authenticate(request, verifyToken, new URL(`${metadataPath}${path}`, url).href);
    if (authInfo instanceof HttpAnswer) return tooManyRequests(rates.refused(remoteAddress), limits) ?? authInfo;
    const waitMs = rates.known(subjectOf(authInfo));
    return tooManyRequests(waitMs, limits) ?? answerMcp(request, { authInfo });
  };

  return async (request, { remoteAddress } = { remoteAddress: undefined }) => {
    const health = healthAnswer(request.url.pathname, engine);
    if (health !== undefined) return health;
    const problem = checkNames(request, rules);
    const answer = problem === undefined ? await enter(request, remoteAddress) : refuse(403, problem);
    if (answer.status >= 400 && answer.status !== 405) {
      log(answer.status >= 500 ? "error" : "warn", "refused", { method: request.method, status: answer.status });
    }
    return problem === undefined ? withCors(answer, request.header("origin")) : answer;
  };
}

const plain = { "content-type": "text/plain;charset=UTF-8" };

function healthAnswer(path: string, engine: Engine): HttpAnswer | undefined {
  if (path === "/healthz") return new HttpAnswer(200, plain, "ok\n");
  if (path !== "/readyz") return undefined;
  return engine.draining ? new HttpAnswer(503, plain, "draining\n") : new HttpAnswer(200, plain, "ready\n");
}

function isMetadata(url: URL, path: string): boolean {
  return [metadataPath, `${metadataPath}${path}`].includes(withoutSlash(url.pathname));
}

function metadataAnswer(resource: string, servers: readonly string[]): HttpAnswer {
  return HttpAnswer.json({ resource, authorization_servers: servers, bearer_methods_supported: ["header"] });
}

function tooManyRequests(waitMs: number, { requestsPerSecond }: HttpLimits): HttpAnswer | undefined {
  if (waitMs <= 0) return undefined;
  const message = `You have reached requestsPerSecond = ${requestsPerSecond}. Try again a little later.`;
  return refuse(429, message, { "retry-after": String(Math.ceil(waitMs / 1000)) });
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): HttpAnswer {
  return HttpAnswer.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, status, headers);
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
