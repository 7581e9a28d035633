import { errorSentence } from "@resumable-mcp/command-line";
import { type Engine, isResumableError } from "@resumable-mcp/core";
import { startTimeLimit } from "@resumable-mcp/core/internal";
import { HttpAnswer, type HttpRequest, ownerOfToken, type RemotePeer, type RequestContext } from "@resumable-mcp/mcp";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { type TrustedProxies, toNetwork } from "./addresses.js";
import { checkNames, type HostRules, isLoopback } from "./allowed-hosts.js";
import { answerArtifact, isArtifactPath } from "./artifact-endpoint.js";
import type { AuditLog } from "./audit-log.js";
import type { Authorization } from "./auth/authorization.js";
import { isMetadata, metadataAnswer } from "./auth/metadata.js";
import type { HttpLimits } from "./http-limits.js";
import { judgeCaller, judgeLocality, type LocalityFacts, type OwnerMode } from "./locality.js";
import { createRefusalLog, type Log } from "./log.js";
import { OpenBodies } from "./open-bodies.js";
import { createRequestRates, type RequestRates } from "./request-rates.js";
import { createMetricsEndpoint, type MetricsSource } from "./telemetry/metrics-endpoint.js";
import { createUiEndpoint, type Ui } from "./ui/ui-endpoint.js";

/** What stands around the MCP endpoint. */
export interface HttpEntryOptions {
  readonly engine: Engine;
  /** The endpoint's path; a slash at the end makes no difference. */
  readonly path: string;
  readonly rules: HostRules;
  /** The address that the server listens on, once it does. Without it no request is local. */
  readonly boundAddress?: () => string | undefined;
  /** The URL by which other machines reach the server, where there is one. */
  readonly publicUrl?: string;
  /** Default `auto`. */
  readonly ownerMode?: OwnerMode;
  /** Whose word on the address of a caller is taken. Default: nothing's. */
  readonly trustedProxies?: TrustedProxies;
  /** Who may call. Default: everybody whom names and origins allow. */
  readonly authorization?: Authorization;
  /** What `/metrics` shows. Default: nothing is there. */
  readonly metrics?: MetricsSource | undefined;
  /** The panel, which is at `/ui`. Default: nothing is there. */
  readonly ui?: Ui | undefined;
  readonly limits: HttpLimits;
  readonly log: Log;
  readonly audit?: AuditLog | undefined;
}

/**
 * Makes what answers for the whole server: names, CORS, health, authentication and rate limits, then the MCP endpoint.
 *
 * Source: MCP 2025-11-25, Transports and Authorization; RFC 9728 for the metadata.
 */
export function createHttpEntry(
  options: HttpEntryOptions,
  answerEndpoint: (request: HttpRequest, context: RequestContext) => Promise<HttpAnswer>,
): (request: HttpRequest, connection?: RemotePeer) => Promise<HttpAnswer> {
  const { engine, rules, log, limits, trustedProxies, audit } = options;
  const rates = createRequestRates(limits, () => performance.now());
  const admit = createGate(options, rates);
  const bodies = new OpenBodies(limits);
  const logRefusal = createRefusalLog(log, limits.refusalsLoggedPerSecond, () => performance.now());
  const readyAnswer = createReadiness(engine, options.limits.readyTimeoutMs);
  const { metrics, ownerMode = "auto" } = options;
  const tokens = options.authorization !== undefined;
  const answerMetrics = metrics && createMetricsEndpoint({ metrics, tokens, ownerMode, limits });
  const path = withoutSlash(options.path);
  const answerMcp: typeof answerEndpoint = (request, context) =>
    isArtifactPath(request.url.pathname, path)
      ? answerArtifact(engine, request, context)
      : answerEndpoint(request, context);
  const pass = (request: HttpRequest, context: RequestContext, address: string | undefined) => {
    const { authInfo } = context;
    // This machine has one user, or a proxy brings all callers and does not say who they are.
    if (authInfo === undefined && isOfThisMachine(address)) return answerMcp(request, context);
    const [table, sender] =
      authInfo === undefined
        ? (["networks", toNetwork(address ?? "")] as const)
        : (["subjects", ownerOfToken(authInfo)] as const);
    const body = bodies.begin(request, sender, (times) => rates.charge(table, sender, times));
    if (body === undefined) return tooManyBodies(limits);
    return answerMcp(body.request, context).finally(body.end);
  };
  const noteProxy = createProxyNotice(log, trustedProxies);
  const answer = async (request: HttpRequest, { remoteAddress }: RemotePeer = { remoteAddress: undefined }) => {
    const { pathname } = request.url;
    if (pathname === "/healthz") return new HttpAnswer(200, plain, "ok\n");
    if (pathname === "/readyz") return readyAnswer();
    noteProxy(request, remoteAddress);
    const problem = checkNames(request, rules);
    const address = trustedProxies === undefined ? remoteAddress : trustedProxies.callerOf(request, remoteAddress);
    if (pathname === "/metrics" && answerMetrics !== undefined)
      return answerMetrics(request, { facts: factsOf(options, request, remoteAddress), address });
    const admitted = await admit(request, { remoteAddress, address, problem });
    const given = admitted instanceof HttpAnswer ? admitted : await pass(request, admitted, address);
    logRefusal(request, address, given);
    audit?.noteAnswer(request, { context: admitted instanceof HttpAnswer ? undefined : admitted, address }, given);
    return problem === undefined ? withCors(given, request.header("origin")) : given;
  };
  return answer;
}

/** Makes what says once that a proxy may stand in front which is not trusted. Anybody may send the header. */
function createProxyNotice(log: Log, proxies: TrustedProxies | undefined) {
  let said = false;
  return (request: HttpRequest, address: string | undefined): void => {
    if (said || address === undefined || request.header("x-forwarded-for") === undefined) return;
    if (proxies?.has(address) === true) return;
    said = true;
    const advice = "If it is your proxy, name it with --trusted-proxy: until then all its callers count as one.";
    log("warn", `A request with X-Forwarded-For came from an address that is not a trusted proxy. ${advice}`, {
      address,
    });
  };
}

/** Makes what decides whether a request may pass on to the MCP endpoint, and otherwise answers it. */
function createGate(options: HttpEntryOptions, rates: RequestRates) {
  const { authorization, limits, ownerMode = "auto", publicUrl, ui, log } = options;
  const path = withoutSlash(options.path);
  const localityOf = (request: HttpRequest, peerAddress: string | undefined) =>
    judgeCaller(ownerMode, factsOf(options, request, peerAddress));
  const onFailure = (error: unknown) => log("error", `The panel could not be loaded: ${errorSentence(error)}`);
  const uiAnswer = ui && createUiEndpoint({ ui, path, publicUrl, authorization, onFailure });
  /** What is answered alike to all who ask. */
  const publicAnswer = (request: HttpRequest, problem: string | undefined) => {
    const { method, url } = request;
    if (problem !== undefined) return refuse(403, problem);
    if (method === "OPTIONS") return preflight();
    const pathname = withoutSlash(url.pathname);
    const metadata = isMetadata(pathname, path, publicUrl) ? authorization?.metadata() : undefined;
    if (metadata !== undefined) return metadataAnswer(metadata);
    if (pathname === path || isArtifactPath(pathname, path)) return undefined;
    return uiAnswer?.(request) ?? new HttpAnswer(404, plain, "Not found.\n");
  };
  return async (
    request: HttpRequest,
    { remoteAddress, address, problem }: Caller,
  ): Promise<RequestContext | HttpAnswer> => {
    const toAll = publicAnswer(request, problem);
    if (toAll !== undefined) return tooManyRequests(rates.unknown(address), limits) ?? toAll;
    if (authorization === undefined) {
      const locality = localityOf(request, remoteAddress);
      const network = locality.local || isOfThisMachine(address) ? undefined : toNetwork(address ?? "");
      return tooManyRequests(rates.unknown(address), limits) ?? { locality, network };
    }
    const header = request.header("authorization");
    const attempt = header === undefined ? undefined : rates.tried(address, header);
    if (attempt !== undefined && attempt.waitMs > 0) return tooManyFailures(attempt.waitMs, limits);
    const authInfo = await authorization.authenticate(request);
    if (!(authInfo instanceof HttpAnswer)) {
      attempt?.end("valid");
      return tooManyRequests(rates.known(ownerOfToken(authInfo)), limits) ?? { authInfo, locality: withToken };
    }
    const isInvalid = authInfo.status === 401;
    attempt?.end(isInvalid ? "invalid" : "unchecked");
    if (attempt !== undefined && isInvalid) return authInfo;
    return tooManyRequests(rates.refused(address), limits) ?? authInfo;
  };
}

/** What decides whether a request is local. */
function factsOf(
  { boundAddress, rules, publicUrl }: Pick<HttpEntryOptions, "boundAddress" | "rules" | "publicUrl">,
  request: HttpRequest,
  peerAddress: string | undefined,
): LocalityFacts {
  return {
    tokens: false,
    boundAddress: boundAddress?.(),
    peerAddress,
    host: request.header("host"),
    origin: request.header("origin"),
    allowedHosts: rules.allowedHosts,
    publicUrl,
    headerNames: Object.keys(request.headers),
  };
}

/** Where a request comes from. */
interface Caller {
  /** The other end of the connection. */
  readonly remoteAddress: string | undefined;
  /** The same, or who a trusted proxy says it is. */
  readonly address: string | undefined;
  /** What is wrong with the names of the request. */
  readonly problem: string | undefined;
}

function isOfThisMachine(address: string | undefined): boolean {
  return address === undefined || isLoopback(address);
}

const withToken = judgeLocality({ tokens: true });

const plain = { "content-type": "text/plain;charset=UTF-8" };

/**
 * Makes what tells whether the server takes work. Anybody may ask, so that the message of an error, which names no path, is all
 * that is said; all who ask meanwhile share one check, so that a silent store does not collect them.
 */
function createReadiness(engine: Engine, timeoutMs: number): () => Promise<HttpAnswer> {
  const silent = new HttpAnswer(
    503,
    plain,
    `The store has not answered within ${timeoutMs / 1000} s. Check that it runs and can be reached.\n`,
  );
  let checking: Promise<HttpAnswer> | undefined;
  const check = async (): Promise<HttpAnswer> => {
    try {
      await engine.checkHealth();
      return new HttpAnswer(200, plain, "ready\n");
    } catch (error) {
      const why = isResumableError(error) ? `${error.code}: ${error.message}` : "The store cannot be used.";
      return new HttpAnswer(503, plain, `${why}\n`);
    } finally {
      checking = undefined;
    }
  };
  return async () => {
    if (engine.draining) return new HttpAnswer(503, plain, "draining\n");
    checking ??= check();
    let stop = () => {};
    const late = new Promise<HttpAnswer>((resolve) => {
      stop = startTimeLimit(timeoutMs, () => resolve(silent));
    });
    return Promise.race([checking, late]).finally(stop);
  };
}

function tooManyRequests(waitMs: number, { requestsPerSecond }: HttpLimits): HttpAnswer | undefined {
  if (waitMs <= 0) return undefined;
  const message = `You have reached the limit requestsPerSecond = ${requestsPerSecond}. Try again later.`;
  return refuse(429, message, { "retry-after": String(Math.ceil(waitMs / 1000)) });
}

function tooManyFailures(waitMs: number, { failuresPerSecond }: HttpLimits): HttpAnswer {
  const message = `Too many tokens of this address were not valid, or could not be checked: failuresPerSecond = ${failuresPerSecond}. Try again later.`;
  return refuse(429, message, { "retry-after": String(Math.ceil(waitMs / 1000)) });
}

function tooManyBodies({ maxOpenBodies }: HttpLimits): HttpAnswer {
  const message = `You have reached the limit maxOpenBodies = ${maxOpenBodies}. Send the bodies that you have begun first.`;
  return refuse(429, message, { "retry-after": "1" });
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): HttpAnswer {
  return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.refused, message), status, headers);
}

/** A loop from the end: a regular expression tries every run of slashes, which takes the square of the path's length. */
function withoutSlash(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

const requestHeaders = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
];

/** Answers a browser's question whether it may call. The origin was checked before. */
function preflight(): HttpAnswer {
  return new HttpAnswer(204, {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": requestHeaders.join(", "),
    "access-control-max-age": "600",
  });
}

/** Lets a page of an allowed origin read an answer. */
function withCors(answer: HttpAnswer, origin: string | undefined): HttpAnswer {
  if (origin === undefined) return answer;
  const { vary } = answer.headers;
  return answer.with({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    vary: vary === undefined ? "Origin" : `${vary}, Origin`,
  });
}
