import type { Engine } from "@resumable-mcp/core";
import { internalMetaKeys } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { type CallMeta, parseCallMeta } from "../call/call-meta.js";
import { decideHandoff } from "../call/handoff.js";
import { noteReceipt } from "../call/receipt/note-receipt.js";
import { createReceipt } from "../call/receipt/receipt.js";
import { type Locality, local, localityOf, resolveOwner, subjectOf } from "../owner/owner.js";
import { forSdk } from "../sdk-workarounds.js";
import { askUser, canAsk } from "./ask-user.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";

/** The reason with which a transport ends a delivery whose caller left or is served by a newer one. */
export const goneReason = "resumable-mcp: the stream of this call has ended";

/** What a server makes of its callers. */
export interface CallPolicy2025 {
  readonly owner?: (extra: RequestExtra) => string | undefined;
  readonly singleUser?: boolean;
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
export function call2025(
  server: Server2025,
  engine: Engine,
  policy: CallPolicy2025,
  extra: RequestExtra,
  clientIdArgument: string | undefined,
): Call {
  const meta = readMeta(server, extra);
  const clientId = meta.clientId ?? clientIdArgument;
  const subject = policy.owner === undefined ? subjectOf(extra.authInfo) : policy.owner(extra);
  const locality = localityIn(policy, extra);
  const owner = resolveOwner({ subject, clientId, sessionId: extra.sessionId, locality });
  const tasks = engine.forOwner(owner);
  return {
    engine,
    tasks,
    meta,
    requestId: extra.requestId,
    signal: extra.signal,
    clientId,
    sessionId: extra.sessionId,
    left: () => (hasLeft(server, extra.signal) ? "gone" : "cancelled"),
    notify: (notification) => extra.sendNotification(forSdk(notification)),
    ...(canAsk(server) ? { ask: (taskId, question, signal) => askUser(extra, taskId, question, signal) } : {}),
    wantsLog: (level) => policy.wantsLog(level, extra.sessionId),
    handoffAfterMs: (toolMs) =>
      decideHandoff({
        asked: meta.handoff,
        option: policy.handoff,
        host: server.server.getClientVersion()?.name,
        toolMs,
      }),
    carryResult(taskId) {
      const receipt = createReceipt({ engine, tasks }, taskId, meta.tellsDelivery);
      noteReceipt(server.server, extra.requestId, receipt);
    },
    controlToolName: (name) => `${policy.prefix}${name}`,
  };
}

function localityIn({ singleUser }: CallPolicy2025, extra: RequestExtra): Locality {
  return singleUser === true || isStdio(extra) ? local : localityOf(extra.requestInfo);
}

/** Over HTTP the SDK always passes the request's headers on; stdio has none. */
function isStdio({ requestInfo, sessionId }: RequestExtra): boolean {
  return requestInfo === undefined && sessionId === undefined;
}

/** A transport of this toolkit's own has this property: what it hands on carries no internal keys but its own. */
export const setsInternalMeta: unique symbol = Symbol.for("resumable-mcp.sets-internal-meta");

/**
 * Over HTTP only the toolkit's own transport may say which call a request is; what came by another may be forged. A
 * host at the other end of stdio, and the supervisor in between, are the one local user.
 */
function readMeta({ server }: Server2025, extra: RequestExtra): CallMeta {
  if (isStdio(extra) || (server.transport !== undefined && setsInternalMeta in server.transport))
    return parseCallMeta(extra._meta);
  const own = Object.entries(extra._meta ?? {}).filter(([key]) => !internalMetaKeys.includes(key));
  return parseCallMeta(Object.fromEntries(own));
}

/** A request that ends with its connection, or that a newer delivery replaces, was not cancelled by its caller. */
function hasLeft({ server }: Server2025, signal: AbortSignal): boolean {
  return signal.reason === goneReason || server.transport === undefined;
}
