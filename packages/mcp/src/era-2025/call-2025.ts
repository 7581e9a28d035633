import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { Answer } from "@resumable-mcp/core/store";
import { metaKeys, parseElicitationResult } from "@resumable-mcp/protocol";
import { z } from "zod";
import { type AskedQuestion, type Call, type Delivery, parseCallMeta } from "../call/call.js";
import type { Ending } from "../call/ending.js";
import { readableError } from "../call/rpc-error.js";
import { type ClientArgument, findClient } from "../call/session-client.js";
import { tracedTasks } from "../call/traced-requests.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import type { OtherServer } from "../control/router.js";
import type { UpstreamResponse } from "../define-server.js";
import { limits } from "../limits.js";
import { findLocality, local, ownerOfSubject, ownerOfToken, tasksOfCaller } from "../owner/owner.js";
import { type CallerRights, tasksWithin } from "../owner/scopes.js";
import { forSdk } from "../sdk-workarounds.js";
import type { RequestExtra } from "./server-2025.js";
import type { Watches } from "./watches.js";

/** The reason with which a transport ends a delivery whose caller left or is served by a newer one. */
export const goneReason = "resumable-mcp: the stream of this call has ended";

/** What belongs to a session, or to a connection over stdio, and not to one of its requests. */
export interface Connection2025 {
  /** What the client said of itself when it opened it. */
  readonly client: { readonly name?: string | undefined; readonly capabilities?: object | undefined };
  /** What answers the requests that are not ours. */
  readonly other?: OtherServer<Request2025> | undefined;
  readonly watches: Watches;
  wantsLog(level: string): boolean;
  /** The client asked for messages of this level, and of those above it. */
  setLevel(level: string): Promise<void>;
}

/** What is known of a request of the 2025 era next to its method and params, wherever it came from. */
export interface Request2025 extends Omit<RequestExtra, "signal"> {
  readonly ending: Ending;
  readonly connection: Connection2025;
  /** How it came here. What came by stdio may say so in its `_meta`: a supervisor in between sets that. */
  readonly delivery?: Delivery | undefined;
  readonly begun?: Call["begun"];
  readonly carry: Call["carry"];
  readonly left: Call["left"];
  /** Sends a message of what answers for {@link Connection2025.other}, which belongs to the request. */
  relay?(message: object): Promise<void>;
  /** A handler of the server's own ends the stream of the request early by it. */
  readonly closeSSEStream?: (() => void) | undefined;
}

/** What the methods of one server have in common. */
export interface Environment2025 {
  readonly engine: Engine;
  readonly options: RegisterToolsOptions<RequestExtra>;
}

/**
 * Makes an era-neutral call of a request of the 2025 era.
 *
 * @throws {@link ResumableError} `NO_OWNER`.
 */
export function call2025(
  { engine, options }: Environment2025,
  request: Request2025,
  argument: ClientArgument = {},
): Call {
  const { ending, sessionId, requestId, connection, delivery } = request;
  const { client } = connection;
  // Over HTTP what a client says of this may be forged. A host at the other end of stdio, and the supervisor in between, are
  // the one local user.
  const meta = { ...parseCallMeta(request._meta, isStdio(request)), ...delivery };
  const authenticated =
    options.owner === undefined
      ? ownerOfToken(request.authInfo)
      : ownerOfSubject(options.owner({ ...request, signal: ending.signal }));
  const rights = rightsOf2025(options, request);
  const { locality } = rights;
  const clientId = findClient(meta, argument, locality);
  const { sessionClientId } = meta;
  const tasks = tasksOfCaller(engine, { authenticated, clientId, sessionClientId, sessionId, locality });
  return {
    engine,
    era: "2025",
    headers: request.requestInfo && Reflect.get(request.requestInfo, "headers"),
    rights,
    tasks: tracedTasks(tasksWithin(engine, tasks, rights)),
    meta,
    requestId,
    signal: ending.signal,
    begun: request.begun,
    carry: request.carry,
    clientId: clientId ?? sessionClientId,
    sessionId,
    shownSessionId: authenticated !== undefined || locality.local ? sessionId : undefined,
    prefix: options.controlTools === "none" ? undefined : (options.prefix ?? ""),
    handoff: options.handoff,
    host: client.name,
    left: request.left,
    notify: forSdk(request.sendNotification),
    ask: canAsk(client) && !meta.showsQuestions ? (...asked) => askUser(request, ...asked) : undefined,
    upstreamClient: (taskId) => ({
      capabilities: Object(client.capabilities),
      request: (method, params, signal) => askClient(request, taskId, { method, params: withId(params) }, signal),
      notify: (method, params) => void tellClient(request, { method, params }),
    }),
    wantsLog: (level) => connection.wantsLog(level),
  };
}

/** Over HTTP there are always headers, or a session. */
export function isStdio({ requestInfo, sessionId }: Pick<RequestExtra, "requestInfo" | "sessionId">): boolean {
  return requestInfo === undefined && sessionId === undefined;
}

/** What is known of the rights of a request's caller. */
export function rightsOf2025(
  { singleUser }: Pick<RegisterToolsOptions<RequestExtra>, "singleUser">,
  request: Pick<RequestExtra, "authInfo" | "requestInfo" | "sessionId">,
): CallerRights {
  const isLocal = singleUser === true || isStdio(request);
  return { token: request.authInfo, locality: isLocal ? local : findLocality(request.requestInfo) };
}

/** Any object: `parseElicitationResult` reads the result. */
const anyResult = z.looseObject({});

/** Tells whether a client can ask its user by a form. Source: MCP, Elicitation, "Capabilities". */
function canAsk({ capabilities }: Connection2025["client"]): boolean {
  const elicitation: unknown = capabilities && Reflect.get(capabilities, "elicitation");
  return isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

/**
 * Asks the user through the client.
 *
 * The request names task and question in `_meta`, so that a transport of ours can give it an id that stays the same
 * across restarts: the user is asked once. Source: MCP, Elicitation, "Creating Elicitation Requests".
 */
async function askUser(
  extra: Request2025,
  taskId: string,
  { key, question, seq }: AskedQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const _meta = { [metaKeys.taskId]: taskId, [metaKeys.question]: key, [metaKeys.seq]: seq };
  const params = { message: question.message, requestedSchema: question.schema, _meta };
  const request = { method: "elicitation/create", params };
  // A person may think as long as they like.
  const options = { signal, timeout: limits.maxTimerMs };
  const client: { sendRequest(...of: readonly object[]): Promise<unknown> } = forSdk(extra);
  const given = await client.sendRequest(request, anyResult, options);
  return parseElicitationResult(given) ?? { action: "cancel" };
}

/** In the 2026 era a URL to open has no id. Source: MCP 2025-11-25, Elicitation, "URL Mode Elicitation Requests". */
function withId(params: JsonObject): JsonObject {
  return params.mode === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}

/** A client that has left hears nothing. */
async function tellClient(extra: Request2025, notification: JsonObject): Promise<void> {
  await extra.sendNotification(forSdk(notification)).catch(() => {});
}

/** Asks the client what another server asks it. It is asked once: an answer to a process that has died is lost with the request. */
async function askClient(
  extra: Request2025,
  taskId: string,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const _meta = { ...Object(params._meta), [metaKeys.taskId]: taskId, [metaKeys.question]: crypto.randomUUID() };
  const client: { sendRequest(...of: readonly object[]): Promise<JsonObject> } = forSdk(extra);
  try {
    const options = { signal, timeout: limits.maxTimerMs };
    return { result: await client.sendRequest({ method, params: { ...params, _meta } }, anyResult, options) };
  } catch (error) {
    const { code, message } = readableError(error);
    return { error: { code, message } };
  }
}
