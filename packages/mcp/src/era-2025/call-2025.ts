import type { Engine } from "@resumable-mcp/core";
import type { Answer } from "@resumable-mcp/core/store";
import { metaKeys, parseElicitationResult } from "@resumable-mcp/protocol";
import { z } from "zod";
import { type AskedQuestion, type Call, parseCallMeta } from "../call/call.js";
import { carrierOf } from "../call/receipt.js";
import { type ClientArgument, clientOf } from "../call/session-client.js";
import { tracedTasks } from "../call/traced-requests.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { limits } from "../limits.js";
import { local, localityOf, ownerOfSubject, ownerOfToken, tasksOfCaller } from "../owner/owner.js";
import { type CallerRights, tasksWithin } from "../owner/scopes.js";
import { forSdk } from "../sdk-workarounds.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";

/** The reason with which a transport ends a delivery whose caller left or is served by a newer one. */
export const goneReason = "resumable-mcp: the stream of this call has ended";

/** What the handlers of one server have in common. */
export interface Environment2025 {
  readonly mcp: Server2025;
  readonly engine: Engine;
  readonly options: RegisterToolsOptions<RequestExtra>;
  readonly wantsLog: (level: string, sessionId: string | undefined) => boolean;
  /** A signal that aborts when the connection that the server has now is closed. */
  readonly closedSignal: () => AbortSignal;
}

/**
 * Makes an era-neutral call of a request of the 2025 era.
 *
 * @throws {@link ResumableError} `NO_OWNER`.
 */
export function call2025(
  { mcp, engine, options, wantsLog }: Environment2025,
  extra: RequestExtra,
  argument: ClientArgument = {},
): Call {
  const { server } = mcp;
  const { signal, sessionId, requestInfo, requestId } = extra;
  // Over HTTP the SDK always passes the request's headers on; stdio has none.
  const isStdio = requestInfo === undefined && sessionId === undefined;
  // Over HTTP only the toolkit's own transport may say which call a request is; what came by another may be forged. A host
  // at the other end of stdio, and the supervisor in between, are the one local user.
  const isTrusted = isStdio || (server.transport !== undefined && setsInternalMeta in server.transport);
  const meta = parseCallMeta(extra._meta, isTrusted);
  const authenticated =
    options.owner === undefined ? ownerOfToken(extra.authInfo) : ownerOfSubject(options.owner(extra));
  const rights = rightsOf2025(options, extra);
  const { locality } = rights;
  const clientId = clientOf(meta, argument, locality);
  const { sessionClientId } = meta;
  const tasks = tasksOfCaller(engine, { authenticated, clientId, sessionClientId, sessionId, locality });
  return {
    engine,
    rights,
    tasks: tracedTasks(tasksWithin(engine, tasks, rights)),
    meta,
    requestId,
    signal,
    carry: carrierOf(server, requestId, "local"),
    clientId: clientId ?? sessionClientId,
    sessionId,
    shownSessionId: authenticated !== undefined || locality.local ? sessionId : undefined,
    prefix: options.controlTools === "none" ? undefined : (options.prefix ?? ""),
    handoff: options.handoff,
    host: server.getClientVersion()?.name,
    // A request that ends with its connection, or that a newer delivery replaces, was not cancelled by its caller.
    left: () => (signal.reason === goneReason || server.transport === undefined ? "gone" : "cancelled"),
    notify: forSdk(extra.sendNotification),
    ask: canAsk(mcp) && !meta.showsQuestions ? (...asked) => askUser(extra, ...asked) : undefined,
    wantsLog: (level) => wantsLog(level, sessionId),
  };
}

/** What is known of the rights of a request's caller. */
export function rightsOf2025(
  { singleUser }: Pick<RegisterToolsOptions<RequestExtra>, "singleUser">,
  { authInfo, requestInfo, sessionId }: RequestExtra,
): CallerRights {
  const isLocal = singleUser === true || (requestInfo === undefined && sessionId === undefined);
  return { token: authInfo, locality: isLocal ? local : localityOf(requestInfo) };
}

/** A transport of this toolkit's own has this property: what it hands on carries no internal keys but its own. */
export const setsInternalMeta: unique symbol = Symbol.for("resumable-mcp.sets-internal-meta");

/** Any object: `parseElicitationResult` reads the result. */
const anyResult = z.looseObject({});

/** Tells whether a client can ask its user by a form. Source: MCP, Elicitation, "Capabilities". */
function canAsk({ server }: Server2025): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  if (elicitation === undefined) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/**
 * Asks the user through the client.
 *
 * The request names task and question in `_meta`, so that a transport of ours can give it an id that stays the same
 * across restarts: the user is asked once. Source: MCP, Elicitation, "Creating Elicitation Requests".
 */
async function askUser(
  extra: RequestExtra,
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
