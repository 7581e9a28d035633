import { CommandError, errorSentence, openWhenReached, type StoreWait } from "@resumable-mcp/command-line";
import { createEngine, type Engine, type Store } from "@resumable-mcp/core";
import type { EngineLimits, LeftTasks, LimitRules, RecoveryCounts, RunAttempt } from "@resumable-mcp/core/engine";
import { withDefaults } from "@resumable-mcp/core/internal";
import type { Observer } from "@resumable-mcp/core/store";
import {
  createBothErasHandler,
  createJsonSchemaValidator,
  createSessionHandler,
  type HttpAnswer,
  type HttpHandler,
  type HttpRequest,
  type RegisterOptions,
  type RemotePeer,
  type SessionLimits,
  withCrossStreamReplay,
} from "@resumable-mcp/mcp";
import { type ServerDefinition, serveUpstream } from "@resumable-mcp/mcp/define-server";
import { ofWebRequest, toListener } from "@resumable-mcp/mcp/internal";
import { createEngineTelemetry } from "@resumable-mcp/telemetry";
import { hostRules } from "./allowed-hosts.js";
import type { AuditLog } from "./audit-log.js";
import { type Authorization, createAuthorization } from "./auth/authorization.js";
import { startBans } from "./auth/bans.js";
import type { VerifyToken } from "./auth/bearer.js";
import { checkExposure, toTrustedProxies } from "./exposure.js";
import { createHttpEntry } from "./http-handler.js";
import { type HttpLimits, httpLimits } from "./http-limits.js";
import type { OwnerMode } from "./locality.js";
import { type Log, limitedLog } from "./log.js";
import type { MetricsSource } from "./telemetry/metrics-endpoint.js";
import { reportsOfThrown } from "./thrown-errors.js";
import { makeUi } from "./ui/make-ui.js";

/** How a server answers requests over HTTP. Everything but definition and store has a default. */
export interface HttpHandlerOptions {
  readonly definition: ServerDefinition;
  readonly handoff?: boolean;
  /** Against the specification: a client that comes back gets what came after its event on all streams of its session. */
  readonly crossStreamReplay?: boolean;
  readonly store: Store;
  /** How long the start waits for a database that cannot be reached. Default: not at all. */
  readonly storeWait?: StoreWait;
  /** Of the endpoint. Default /mcp. */
  readonly path?: string;
  /** Names by which the server may be called, in addition to loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call, in addition to the server's own; `loopback`: all that this machine serves. */
  readonly allowedOrigins?: readonly string[];
  readonly verifyToken?: VerifyToken;
  /** Whose tasks calls without a token reach. Default `auto`. */
  readonly ownerMode?: OwnerMode;
  /**
   * Addresses, and networks such as `10.0.0.0/8`, of proxies in front of the server: a request's caller is the one that they
   * name in `X-Forwarded-For`. Default: none, so that all callers behind a proxy count as one.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * The endpoint's URL as its callers know it. Tokens are issued for it, and the metadata names it. Its host is an allowed
   * one. Default, with `authorizationServers` on a loopback address: the address that the server listens on.
   */
  readonly publicUrl?: string;
  /** Where clients sign in. Without any there is no metadata of the server. */
  readonly authorizationServers?: readonly string[];
  /** Scopes that every token must have. */
  readonly requiredScopes?: readonly string[];
  /** Lets a server without authentication listen on an address that other machines can reach. */
  readonly insecure?: boolean;
  /**
   * Callers see of what the code of tools throws only that it failed, and under which id the log says why. Default: what the
   * definition says; else where callers may be others than the user of this machine.
   */
  readonly maskErrors?: boolean;
  readonly limits?: Partial<HttpLimits & SessionLimits>;
  readonly engineLimits?: Partial<EngineLimits>;
  /** Limits of single tools and owners. */
  readonly limitRules?: LimitRules;
  readonly log?: Log;
  /** Gets a line for each request. */
  readonly audit?: AuditLog | undefined;
  /** What `/metrics` shows, and to whom. Default: nothing is there. */
  readonly metrics?: MetricsSource | undefined;
  /**
   * Shows the panel at `/ui`: `clientId` is what the page is to the authorization server. Strangers have to need a token. Default: nothing
   * is there. The definition says which page it is.
   */
  readonly ui?: { readonly clientId?: string | undefined } | undefined;
  /** The scope by which a token is an operator's, who sees which servers there are, and reads the tasks of all owners. */
  readonly operatorScope?: string | undefined;
  /** The scope by which an operator may also pause, resume, cancel and delete them. */
  readonly operatorActScope?: string | undefined;
  /** Runs the code of each attempt: an exception that nothing catches can tell its task by it. */
  readonly runAttempt?: RunAttempt;
  /** Hears of what happens at named points, for tracing and for fault injection. */
  readonly observer?: Observer;
}

/** A server without a socket. */
export interface McpHandler extends Pick<HttpHandler, "node"> {
  /** @param connection what the request does not say of where it comes from. */
  fetch(request: Request, connection?: RemotePeer): Promise<Response>;
  readonly engine: Engine;
  /** Lets tasks stop at their next checkpoint, ends all streams so that clients come back later, and closes. */
  close(): Promise<void>;
}

/**
 * Makes the same server as `serve` for a program that listens itself: as a Web-standard `fetch`, and as a listener of Node. It answers
 * for `path`, for what says where to sign in (`/.well-known/…`), for `/healthz` and `/readyz`, and otherwise 404.
 *
 * The address that the program listens on is not known, so that no request counts as one of this machine's user: give `verifyToken`, or
 * `insecure` to let everybody call.
 *
 * @throws {@link CommandError} when everybody could call, or an option is missing.
 */
export async function createHttpHandler(options: HttpHandlerOptions): Promise<McpHandler> {
  if (options.verifyToken === undefined && options.insecure !== true)
    throw new CommandError(
      "createHttpHandler needs verifyToken, or insecure: true to let everybody call who reaches it.",
    );
  const { engine, entry, release } = await openHandler({ ...options, host: anyAddress }, () => ({}));
  return {
    engine,
    node: toListener(entry),
    fetch: async (request, connection) => (await entry(ofWebRequest(request), connection)).toWeb(),
    close: () => release([]).then(() => engine.close()),
  };
}

const anyAddress = "0.0.0.0";

/** What only a server with a socket knows. */
interface Listening {
  /** The address that it listens on: without it no request is local. */
  readonly boundAddress?: string | undefined;
  /** The URL of its endpoint. */
  readonly url?: string | undefined;
}

/** A server that can answer. */
export interface OpenHandler {
  readonly engine: Engine;
  readonly entry: (request: HttpRequest, connection?: RemotePeer) => Promise<HttpAnswer>;
  readonly limits: HttpLimits;
  /** What became of the unfinished tasks when the store was opened. */
  readonly recovery: RecoveryCounts;
  readonly release: (leave: LeftTasks) => Promise<void>;
  /** Closes the store, since the server cannot be served. Throws this. */
  readonly abandon: (error: unknown) => Promise<never>;
}

/** Opens the store and makes what answers. */
export async function openHandler(
  options: HttpHandlerOptions & { readonly host?: string },
  listening: () => Listening,
): Promise<OpenHandler> {
  const { host = "127.0.0.1", path = "/mcp", log = () => {}, definition, publicUrl } = options;
  if (!Array.isArray(Reflect.get(Object(definition), "tools")) || options.store === undefined)
    throw new CommandError(
      "A server needs definition, which defineServer makes, and store, such as createFsStore({ directory }).",
    );
  checkExposure(options);
  const ui = makeUi(options);
  const trustedProxies = toTrustedProxies(options);
  const limits = withDefaults<HttpLimits>(httpLimits, options.limits);
  const onError = (error: unknown) => log("error", errorSentence(error));
  const { store, storeWait = noWait, engineLimits = {}, observer = () => {}, runAttempt, ownerMode = "auto" } = options;
  let recovery: RecoveryCounts = { now: 0, later: 0, onRequest: 0, more: false };
  const onOpened = (counts: RecoveryCounts): void => {
    recovery = counts;
  };
  // The handlers of both eras bring one, but only with the first request: tasks resume before it.
  const validateJsonSchema = createJsonSchemaValidator();
  const { maskThrown, ...thrown } = reportsOfThrown(options, log);
  const hooks = { ...thrown, onOpened, onError, observer, telemetry: createEngineTelemetry(), runAttempt };
  const limited = { limits: engineLimits, limitRules: options.limitRules, validateJsonSchema };
  const engine = createEngine({ ...hooks, ...limited, store, tools: definition.tools });
  serveUpstream(engine, definition);
  let guarded: Awaited<ReturnType<typeof startBans>> = {};
  const abandon = async (error: unknown): Promise<never> => {
    guarded.bans?.stop();
    await engine.close().catch(onError);
    throw error;
  };
  // What is wrong with the store is reported now, not to the first caller.
  await openWhenReached(engine.open.bind(engine), storeWait, (sentence) => log("warn", sentence)).catch(abandon);
  const onFailure = limitedErrors(log, limits);
  const unguarded = authorizationOf(options, limits, onFailure, () => publicUrl ?? listening().url);
  guarded = await startBans(unguarded, { engine, limits, log }).catch(abandon);
  const { authorization, bans } = guarded;
  const mcp = bothErasEndpoint(options, engine, { onFailure, maskThrown }, authorization);
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const allowedHosts = [...(options.allowedHosts ?? []), ...publicHost];
  const entry = createHttpEntry(
    {
      trustedProxies,
      boundAddress: () => listening().boundAddress,
      engine,
      path,
      rules: hostRules({ host, allowedHosts, allowedOrigins: options.allowedOrigins ?? [] }),
      authorization,
      publicUrl,
      metrics: options.metrics,
      ui,
      limits,
      log,
      audit: options.audit,
      ownerMode,
    },
    mcp.answer,
  );
  const release: OpenHandler["release"] = async (leave) => {
    bans?.stop();
    await engine.drain({ timeoutMs: limits.drainTimeoutMs, leave });
    await mcp.close();
    await definition.upstream?.close();
  };
  return { engine, entry, limits, recovery, release, abandon };
}

/** What callers can bring about as often as they like. */
function limitedErrors(log: Log, { refusalsLoggedPerSecond }: HttpLimits): (message: string) => void {
  const limited = limitedLog(log, refusalsLoggedPerSecond, () => performance.now());
  return (message) => limited("error", message);
}

function authorizationOf(
  { verifyToken, definition, requiredScopes, authorizationServers = [] }: HttpHandlerOptions,
  { verifyTokenTimeoutMs: timeoutMs }: HttpLimits,
  onFailure: (message: string) => void,
  resource: () => string | undefined,
): Authorization | undefined {
  if (verifyToken === undefined) return undefined;
  const { tools } = definition;
  return createAuthorization({
    verifyToken,
    timeoutMs,
    requiredScopes,
    tools,
    resource,
    authorizationServers,
    onFailure,
  });
}

const noWait: StoreWait = { waitMs: 0, isServerAway: () => false };

/**
 * Makes the MCP endpoint of a server: sessions for clients of the 2025 era, tasks for those of the 2026 era.
 *
 * A process pays for an era, and the SDK that speaks it, when its first request comes.
 */
function bothErasEndpoint(
  options: HttpHandlerOptions,
  engine: Engine,
  { onFailure, maskThrown }: Pick<RegisterOptions, "maskThrown"> & { onFailure: (message: string) => void },
  authorization: Authorization | undefined,
): HttpHandler {
  const { definition, handoff, operatorScope, operatorActScope } = options;
  // The SDKs report each message that they refuse.
  const onError = (error: unknown) => onFailure(errorSentence(error));
  const toolOptions = { onError, maskThrown, handoff, operatorScope, operatorActScope };
  return createBothErasHandler({
    ...options.limits,
    check: (body, context) => {
      options.audit?.noteBody(context, body);
      return authorization?.checkCall(body, context);
    },
    era2025: async () => {
      const handler = createSessionHandler({ engine, definition, ...toolOptions, limits: options.limits });
      return options.crossStreamReplay === true
        ? withCrossStreamReplay(handler, { documents: engine.documents, onError })
        : handler;
    },
    era2026: async () => {
      const { createHandler2026 } = await import("@resumable-mcp/mcp/2026");
      return createHandler2026({ engine, definition, ...toolOptions });
    },
  });
}
