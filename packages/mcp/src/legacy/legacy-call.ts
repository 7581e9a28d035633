import type { Engine } from "@resumable-mcp/core";
import type { Call } from "../call.js";
import { parseCallMeta, present } from "../call-meta.js";
import { decideHandoff } from "../handoff.js";
import { resolveOwner } from "../owner.js";
import { subjectOf } from "../subject.js";
import { askUser, canAsk } from "./ask-user.js";
import type { McpServerLike, RequestExtra } from "./mcp-server-like.js";

/** The reason with which a transport ends a delivery whose caller is gone or is served by a newer one. */
export const goneReason = "resumable-mcp: the stream of this call is gone";

/** What a server makes of its callers. */
export interface CallPolicy {
  readonly owner?: (extra: RequestExtra) => string | undefined;
  readonly prefix: string;
  readonly handoff?: boolean;
  readonly wantsLog: (level: string, sessionId: string | undefined) => boolean;
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes an era-neutral call of a request of the 2025 era.
 *
 * @throws {@link ResumableError} `NO_OWNER`.
 */
export function legacyCall(
  server: McpServerLike,
  engine: Engine,
  policy: CallPolicy,
  extra: RequestExtra,
  clientIdArgument: string | undefined,
): Call {
  const meta = parseCallMeta(extra._meta);
  const clientId = meta.clientId ?? clientIdArgument;
  const subject = policy.owner === undefined ? subjectOf(extra.authInfo) : policy.owner(extra);
  // Over HTTP the SDK always passes the request's headers on; stdio has none.
  const local = extra.requestInfo === undefined && extra.sessionId === undefined;
  const owner = resolveOwner({ subject, clientId, sessionId: extra.sessionId, local });
  return {
    engine,
    tasks: engine.forOwner(owner),
    meta,
    requestId: extra.requestId,
    signal: extra.signal,
    ...present("clientId", clientId),
    ...present("sessionId", extra.sessionId),
    left: () => (isGone(server, extra.signal) ? "gone" : "cancelled"),
    notify: (notification) => extra.sendNotification(notification as never),
    ...(canAsk(server) ? { ask: (taskId, question, signal) => askUser(extra, taskId, question, signal) } : {}),
    wantsLog: (level) => policy.wantsLog(level, extra.sessionId),
    handoffAfterMs: (toolMs) =>
      decideHandoff({
        asked: meta.handoff,
        option: policy.handoff,
        host: server.server.getClientVersion()?.name,
        toolMs,
      }),
    controlToolName: (name) => `${policy.prefix}${name}`,
  };
}

/** A request that ends with its connection, or that a newer delivery replaces, was not cancelled by its caller. */
function isGone({ server }: McpServerLike, signal: AbortSignal): boolean {
  return signal.reason === goneReason || server.transport === undefined;
}
