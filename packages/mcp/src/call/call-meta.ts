import { isJsonObject } from "@resumable-mcp/core";
import { envelopeKeys, metaKeys } from "@resumable-mcp/protocol";
import { maxClientIdLength } from "../owner/client-id.js";

/** What a request's `_meta` says, checked. Values of the wrong type count as absent. */
export interface CallMeta {
  readonly clientId?: string;
  /** `true`: after the tool's own time; a number: after that many milliseconds; `false`: never. */
  readonly handoff?: boolean | number;
  /** The caller stays with the task after the hand-off: after a crash the task waits for its return. */
  readonly callerStays: boolean;
  readonly newTask?: boolean | string;
  /** Messages for events up to this seq were seen. */
  readonly afterSeq: number;
  readonly callId?: string;
  readonly taskId?: string;
  readonly redelivered: boolean;
  /** The sender itself reports whether the result was delivered. */
  readonly tellsDelivery: boolean;
  readonly requestId?: string | number;
  readonly progressToken?: string | number;
}

/** Parses the `_meta` of a request. */
export function parseCallMeta(meta: unknown): CallMeta {
  const source = isJsonObject(meta) ? meta : {};
  const read = <Value>(key: string, accepts: (value: unknown) => value is Value) => {
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    return accepts(value) ? value : undefined;
  };
  return {
    afterSeq: read(metaKeys.afterSeq, isCount) ?? 0,
    callerStays: read(metaKeys.callerStays, isBoolean) ?? false,
    redelivered: read(metaKeys.redelivered, isBoolean) ?? false,
    tellsDelivery: read(metaKeys.tellsDelivery, isBoolean) ?? false,
    clientId: read(metaKeys.clientId, isLabel),
    handoff: read(metaKeys.handoff, isBoolean) ?? read(metaKeys.handoff, isCount),
    newTask: read(metaKeys.newTask, isBoolean) ?? read(metaKeys.newTask, isLabel),
    callId: read(metaKeys.callId, isLabel),
    taskId: read(metaKeys.taskId, isLabel),
    requestId: read(metaKeys.requestId, isRequestId),
    progressToken: read("progressToken", isRequestId),
  };
}

const maxLabelLength = maxClientIdLength;
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= maxLabelLength;
const isRequestId = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

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
