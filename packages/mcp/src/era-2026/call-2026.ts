import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { envelopeKeys, isAtLeast, rpcCodes, showsApps, tasksExtension } from "@resumable-mcp/protocol";
import { type Call, parseCallMeta } from "../call/call.js";
import type { Ending } from "../call/ending.js";
import type { RpcErrorBody } from "../call/rpc-error.js";
import { type ClientArgument, findClient } from "../call/session-client.js";
import { type RequestOrigin, tracedTasks } from "../call/traced-requests.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { type CallerFacts, type Locality, local, tasksOfCaller, type VerifiedToken } from "../owner/owner.js";
import { type CallerRights, tasksWithin } from "../owner/scopes.js";
import type { SigningKey } from "./engine-state.js";

/** What is known of a request of the 2026 era next to its method and params, wherever it came from. */
export interface Request2026 {
  readonly id: string | number;
  /** Its `_meta`, checked against the SDK's schema of the envelope. */
  readonly meta: JsonObject;
  readonly requestState?: unknown;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly ending: Ending;
  /** Sends a notification that belongs to the request; resolves when there is room for the next. */
  readonly notify: Call["notify"];
  readonly carry: Call["carry"];
  /** The owner whom its token, or the server's author, authenticates. @throws {@link ResumableError} `NO_OWNER`. */
  authenticated(): string | undefined;
  /** Absent on stdio. */
  readonly http?: RequestHttp | undefined;
}

/** What is known of a request because it came over HTTP. */
export interface RequestHttp {
  readonly authInfo?: VerifiedToken | undefined;
  readonly locality: Locality;
  /** By names in lower case, or as the Web has them. */
  readonly headers: object;
  /** As handlers of the SDK get it. */
  toWeb(): Request;
}

/** The options that a call depends on. */
export type CallOptions2026 = Pick<RegisterToolsOptions<never>, "singleUser" | "controlTools" | "prefix" | "handoff">;

/** What the methods of one server have in common. */
export interface Environment2026 {
  readonly engine: Engine;
  readonly options: CallOptions2026;
  readonly signingKey: SigningKey;
}

/** A call of the 2026 era, with what its client declared in this very request. */
export interface Call2026 extends Call {
  readonly client: ClientFacts;
  readonly token?: VerifiedToken | undefined;
  /** Later requests about the task will come from the same owner: they say who calls as this one does, not by an argument. */
  readonly returns: boolean;
}

/**
 * Makes an era-neutral call of a request of the 2026 era.
 *
 * It ends when the request is cancelled (over HTTP: when its stream is closed). {@link untilDrained} ends it also when the
 * engine drains, since then another process has to continue with it, and when its token counts no more.
 *
 * @throws {@link ResumableError} `NO_OWNER`.
 */
export function call2026(
  { engine, options }: Environment2026,
  request: Request2026,
  argument: ClientArgument = {},
): Call2026 {
  const { id, ending, http } = request;
  const client = clientFacts(request.meta);
  // Over HTTP no supervisor stands between client and server that may set the internal keys.
  const meta = parseCallMeta(request.meta, http === undefined);
  const rights = rightsFor(options, request);
  const clientId = findClient(meta, argument, rights.locality);
  const facts = callerFor(options, request, clientId);
  return {
    engine,
    era: "2026",
    headers: http?.headers,
    client,
    rights,
    token: http?.authInfo,
    tasks: tracedTasks(tasksWithin(engine, tasksOfCaller(engine, facts), rights)),
    returns: meta.clientId === clientId || facts.authenticated !== undefined || rights.locality.local,
    meta,
    requestId: id,
    signal: ending.signal,
    carry: request.carry,
    clientId,
    prefix: options.controlTools === "none" ? undefined : (options.prefix ?? ""),
    handoff: options.handoff,
    host: client.name,
    // Only a request that was cancelled while the server was up, and not by its token's end, was cancelled by its caller.
    left: () => (ending.reason !== undefined && !engine.draining ? "cancelled" : "gone"),
    endsWithConnection: http !== undefined,
    notify: request.notify,
    wantsLog: (level) => client.logLevel !== undefined && isAtLeast(level, client.logLevel),
  };
}

/** Where a request comes from, for traces. */
export function originOf2026({ id: requestId, meta, http }: Request2026): RequestOrigin {
  return { requestId, meta, isStdio: http === undefined, headers: http?.headers };
}

/** Who a request says that its caller is. */
export function callerFor(
  options: Pick<CallOptions2026, "singleUser">,
  request: Request2026,
  clientId: string | undefined,
): CallerFacts {
  return { authenticated: request.authenticated(), clientId, locality: rightsFor(options, request).locality };
}

/** What is known of the rights of a request's caller. */
export function rightsFor(
  { singleUser }: Pick<CallOptions2026, "singleUser">,
  { http }: Pick<Request2026, "http">,
): CallerRights {
  return { token: http?.authInfo, locality: singleUser === true || http === undefined ? local : http.locality };
}

/** What one request says of its client. Nothing is remembered from an earlier one. */
export interface ClientFacts {
  readonly capabilities: JsonObject;
  /** It declared the tasks extension, so a call may be answered with a task. */
  readonly tasks: boolean;
  /** It shows the pages of MCP Apps. */
  readonly apps: boolean;
  /** It can ask its user by a form. */
  readonly forms: boolean;
  readonly name?: string;
  /** The least level of log messages that it wants; none at all when absent. */
  readonly logLevel?: string;
}

/** Reads the envelope of a request; what is malformed counts as not declared. */
export function clientFacts(envelope: unknown): ClientFacts {
  const capabilities = child(envelope, envelopeKeys.clientCapabilities);
  const elicitation = child(capabilities, "elicitation");
  const name = field(child(envelope, envelopeKeys.clientInfo), "name");
  const logLevel = field(envelope, envelopeKeys.logLevel);
  return {
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    tasks: child(child(capabilities, "extensions"), tasksExtension) !== undefined,
    apps: showsApps(capabilities),
    forms: isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation)),
    name: typeof name === "string" ? name : undefined,
    logLevel: typeof logLevel === "string" ? logLevel : undefined,
  };
}

function field(parent: unknown, key: string): unknown {
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function child(parent: unknown, key: string): unknown {
  const value = field(parent, key);
  return isJsonObject(value) ? value : undefined;
}

/** The request needs the tasks extension and did not declare it. Source: SEP-2663, SEP-2575. */
export const missingTasksExtension: RpcErrorBody = {
  code: rpcCodes.missingCapability,
  message: `This request needs the extension ${tasksExtension}: declare it in the request's clientCapabilities.`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
};
