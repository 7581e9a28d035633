import type { Engine } from "@resumable-mcp/core";
import { internalMetaKeys, isAtLeast } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { type CallMeta, parseCallMeta } from "../call/call-meta.js";
import { decideHandoff } from "../call/handoff.js";
import type { Notification } from "../call/journal-message.js";
import { noteReceipt } from "../call/receipt/note-receipt.js";
import { createReceipt, holdReceipt } from "../call/receipt/receipt.js";
import { local, localityOf, resolveOwner, subjectOf } from "../owner/owner.js";
import { answeringServerOf } from "../sdk-workarounds.js";
import { type ClientFacts, clientFacts } from "./envelope.js";
import type { ConnectedServer, Context2026 } from "./server-2026.js";

/** How the owner of a request is found. */
export interface OwnerPolicy {
  readonly owner?: ((context: Context2026) => string | undefined) | undefined;
  readonly singleUser?: boolean | undefined;
}

/** What a server makes of its callers. */
export interface CallPolicy2026 extends OwnerPolicy {
  readonly server: ConnectedServer;
  readonly prefix: string;
  readonly handoff?: boolean;
}

/** A call of the 2026 era, with what its client declared in this very request. */
export interface Call2026 extends Call {
  readonly client: ClientFacts;
}

/**
 * Makes an era-neutral call of a request of the 2026 era.
 *
 * It ends when the request is cancelled (over HTTP: when its stream is closed), and when the engine drains, since then
 * another process has to go on with it.
 *
 * @throws {@link ResumableError} `NO_OWNER`.
 */
export function call2026(
  engine: Engine,
  policy: CallPolicy2026,
  context: Context2026,
  clientIdArgument: string | undefined,
): Call2026 {
  const { mcpReq } = context;
  const client = clientFacts(mcpReq.envelope);
  const meta = readMeta(context);
  const clientId = meta.clientId ?? clientIdArgument;
  const tasks = engine.forOwner(ownerOf(policy, context, clientId));
  return {
    engine,
    client,
    tasks,
    meta,
    requestId: mcpReq.id,
    signal: AbortSignal.any([mcpReq.signal, drainSignal(engine)]),
    clientId,
    // Only a request that was cancelled while the server was up was cancelled by its caller.
    left: () => (mcpReq.signal.aborted && !engine.draining ? "cancelled" : "gone"),
    notify: ({ method, params }: Notification) => mcpReq.notify({ method, params: { ...params } }),
    wantsLog: (level) => client.logLevel !== undefined && isAtLeast(level, client.logLevel),
    handoffAfterMs: (toolMs) =>
      decideHandoff({ asked: meta.handoff, option: policy.handoff, host: client.name, toolMs }),
    carryResult: (taskId) => carryResult(policy, context, { engine, tasks }, taskId),
    controlToolName: (name) => `${policy.prefix}${name}`,
  };
}

/** Notes that the answer to a request carries what a task came to. See `Call.carryResult`. */
export function carryResult(
  { server }: CallPolicy2026,
  context: Context2026,
  owned: Pick<Call, "engine" | "tasks">,
  taskId: string,
): void {
  const receipt = createReceipt(owned, taskId, readMeta(context).tellsDelivery);
  const request = context.http?.req;
  noteReceipt(
    answeringServerOf(context) ?? server,
    context.mcpReq.id,
    request === undefined ? receipt : holdReceipt(request, receipt),
  );
}

/** Says whose tasks a request may reach. @throws {@link ResumableError} `NO_OWNER`. */
export function ownerOf(policy: OwnerPolicy, context: Context2026, clientId: string | undefined): string {
  const subject = policy.owner === undefined ? subjectOf(context.http?.authInfo) : policy.owner(context);
  const isLocal = policy.singleUser === true || context.http === undefined;
  return resolveOwner({ subject, clientId, locality: isLocal ? local : localityOf(context.http?.req) });
}

/** Over HTTP no supervisor stands between client and server that may set the internal keys. */
export function readMeta({ mcpReq, http }: Context2026): CallMeta {
  if (http === undefined) return parseCallMeta(mcpReq._meta);
  const own = Object.entries(mcpReq._meta ?? {}).filter(([key]) => !internalMetaKeys.includes(key));
  return parseCallMeta(Object.fromEntries(own));
}

const drainSignals = new WeakMap<Engine, AbortSignal>();

/** One signal for all calls of an engine. */
function drainSignal(engine: Engine): AbortSignal {
  const known = drainSignals.get(engine);
  if (known !== undefined) return known;
  const controller = new AbortController();
  void engine.drainStarted.then(() => controller.abort("draining"));
  drainSignals.set(engine, controller.signal);
  return controller.signal;
}
