import {
  type Engine,
  isJsonObject,
  isResumableError,
  type JsonObject,
  type OwnedTasks,
  type TaskView,
} from "@resumable-mcp/core";
import { type OpenQuestion, parseTraceContext, type TraceContext } from "@resumable-mcp/core/engine";
import type { Answer } from "@resumable-mcp/core/store";
import { envelopeKeys, internalMetaKeys, metaKeys } from "@resumable-mcp/protocol";
import type { Era, UpstreamClient } from "../define-server.js";
import { limits } from "../limits.js";
import type { CallerRights } from "../owner/scopes.js";
import type { Notification } from "./journal-message.js";
import type { Receipt } from "./late-cancellations.js";

/** A call of a tool, whatever era it came by. */
export interface Call {
  readonly engine: Engine;
  readonly era: Era;
  /** Of its request over HTTP, as either SDK hands them on. */
  readonly headers?: unknown;
  /** The caller's own tasks. */
  readonly tasks: OwnedTasks;
  readonly rights: CallerRights;
  /** `tasks` are those of all owners: an operator calls. */
  readonly allOwners?: true;
  readonly meta: CallMeta;
  readonly clientId?: string;
  readonly sessionId?: string;
  /** The same, where it is shown: without a token or the machine's user behind it, who knows it is taken for the caller. */
  readonly shownSessionId?: string | undefined;
  readonly requestId: string | number;
  /** Aborts when the caller has left or has cancelled its request. */
  readonly signal: AbortSignal;
  /** Hears which task the call has, once that is durable. */
  readonly begun?: ((taskId: string) => Promise<void>) | undefined;
  /** Takes the receipt of a task's result that the response will carry, before the call has its answer. */
  readonly carry: (receipt: Receipt) => void;
  /** Put before the names of the control tools; `undefined` where the server has none. */
  readonly prefix: string | undefined;
  /** The server's option, and the name of the client program: both decide when the call is handed off. */
  readonly handoff?: boolean | undefined;
  readonly host?: string | undefined;
  /** A caller cancels it by ending its connection, which a network may end, too. Source: MCP 2026-07-28, Transports, "Cancellation". */
  readonly endsWithConnection?: boolean;
  /** How the caller left, once `signal` aborted. */
  left(): "cancelled" | "gone";
  /** Sends a notification that belongs to this call; resolves when there is room for the next. */
  readonly notify: (notification: Notification) => Promise<void>;
  /** Asks the user through the client; absent where the client cannot. */
  readonly ask?: ((taskId: string, question: AskedQuestion, signal: AbortSignal) => Promise<Answer>) | undefined;
  /** Aborts when the client is asked for something that the answer to its request has to carry. */
  readonly asked?: AbortSignal | undefined;
  /** The client, for another server that asks it something; absent where its era has no requests of servers. */
  readonly upstreamClient?: ((taskId: string) => UpstreamClient) | undefined;
  /** Whether messages of this level are wanted. */
  wantsLog(level: string): boolean;
}

/** A question with the place of the journal at which it is put to the user. */
export interface AskedQuestion extends OpenQuestion {
  readonly seq: number;
}

/** How a request came to its server, as a transport or a supervisor knows it: no client can say so. */
export interface Delivery {
  /** The stable name of the call. */
  readonly callId?: string | undefined;
  /** The task that the call belongs to, where that is not the call's own. */
  readonly taskId?: string | undefined;
  readonly redelivered?: boolean;
  /** When the call was accepted, in milliseconds of the wall clock. */
  readonly acceptedMs?: number;
  /** Messages for events up to this seq were seen. */
  readonly afterSeq?: number;
  /** The highest progress among them, where the sender knows it. */
  readonly shownProgress?: number | undefined;
  /** The id by which the client knows the request. */
  readonly requestId?: string | number;
  readonly progressToken?: string | number;
  /** The client that the session named before, where the request names none. */
  readonly sessionClientId?: string | undefined;
}

/** What a request's `_meta` says, checked. Values of the wrong type count as absent. */
export interface CallMeta extends Delivery {
  readonly clientId?: string;
  /** `true`: after the tool's own time; a number: after that many milliseconds; `false`: never. */
  readonly handoff?: boolean | number;
  /** The caller stays with the task after the hand-off: after a crash the task waits for its return. */
  readonly callerStays: boolean;
  /** The client shows its user the questions of tasks by itself. */
  readonly showsQuestions: boolean;
  readonly newTask?: boolean | string;
  /** The caller, an operator, asks for the tasks of all owners. */
  readonly allOwners: boolean;
  readonly afterSeq: number;
  readonly redelivered: boolean;
  /** When this was parsed, unless the sender knows better. */
  readonly acceptedMs: number;
  /** The sender itself reports whether the result was delivered. */
  readonly tellsDelivery: boolean;
  /** The trace that the request belongs to. Source: SEP-414. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Parses the `_meta` of a request.
 *
 * @param trusted whether the sender may set the internal keys; those of any other are ignored.
 */
export function parseCallMeta(meta: unknown, trusted = true): CallMeta {
  const source = isJsonObject(meta) ? meta : {};
  const read = <Value>(key: string, accepts: (value: unknown) => value is Value) => {
    const isRead = Object.hasOwn(source, key) && (trusted || !internalMetaKeys.includes(key));
    const value = isRead ? source[key] : undefined;
    return accepts(value) ? value : undefined;
  };
  return {
    afterSeq: read(metaKeys.afterSeq, isCount) ?? 0,
    callerStays: read(metaKeys.callerStays, isBoolean) ?? false,
    showsQuestions: read(metaKeys.showsQuestions, isBoolean) ?? false,
    allOwners: read(metaKeys.allOwners, isBoolean) ?? false,
    shownProgress: read(metaKeys.shownProgress, isNumber),
    redelivered: read(metaKeys.redelivered, isBoolean) ?? false,
    acceptedMs: read(metaKeys.acceptedMs, isCount) ?? Date.now(),
    tellsDelivery: read(metaKeys.tellsDelivery, isBoolean) ?? false,
    clientId: namedInMeta(source),
    sessionClientId: read(metaKeys.sessionClientId, isLabel),
    handoff: read(metaKeys.handoff, isBoolean) ?? read(metaKeys.handoff, isCount),
    newTask: read(metaKeys.newTask, isBoolean) ?? read(metaKeys.newTask, isLabel),
    callId: read(metaKeys.callId, isLabel),
    taskId: read(metaKeys.taskId, isLabel),
    requestId: read(metaKeys.requestId, isRequestId),
    progressToken: read("progressToken", isRequestId),
    trace: parseTraceContext(source),
  };
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= limits.maxClientIdLength;
/** Tells whether a value can be the id of a request. */
export const isRequestId = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** The client that a request's `_meta` names. */
export function namedInMeta(meta: unknown): string | undefined {
  const named = isJsonObject(meta) && Object.hasOwn(meta, metaKeys.clientId) ? meta[metaKeys.clientId] : undefined;
  return isLabel(named) ? named : undefined;
}

/** The params of a message. */
export function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

/**
 * Whether a message says its version in `_meta`, as each request of the 2026 era does. Pure.
 *
 * Source: MCP 2026-07-28, Basic, "Versioning".
 */
export function claimsVersion(message: unknown): boolean {
  const params = isJsonObject(message) ? message.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && envelopeKeys.protocolVersion in meta;
}

/** Reads a task; `undefined` when the owner has none of that id. */
export async function findTask(tasks: OwnedTasks, taskId: string): Promise<TaskView | undefined> {
  try {
    return await tasks.get(taskId);
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
    throw error;
  }
}
