import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isJsonObject, type Json } from "@resumable-mcp/core";
import { canonicalJson } from "@resumable-mcp/core/store";
import { limits } from "../limits.js";

/** Where a call stands between two of its requests. */
export interface RoundTrip {
  readonly taskId: string;
  /** Messages for events up to this seq were sent. */
  readonly seq: number;
}

/** Whose call it is, and of what: a state is worth nothing for any other. */
export interface RoundTripBinding {
  readonly owner: string;
  readonly tool: string;
  readonly input: Json;
}

/** States begin with this, which a server's own do not. */
export const requestStatePrefix = "rmcp1.";

/**
 * Signs where a call stands. The client holds the state and can read it; it cannot change it, nor use it for another
 * owner, tool or input. Source: MCP 2026-07-28, Multi Round-Trip Requests, server requirements 4 and 5.
 */
export function signRoundTrip(key: Uint8Array, roundTrip: RoundTrip, binding: RoundTripBinding, nowMs: number): string {
  const body = JSON.stringify({ task: roundTrip.taskId, seq: roundTrip.seq, until: nowMs + limits.requestStateTtlMs });
  const payload = Buffer.from(body).toString("base64url");
  return `${requestStatePrefix}${payload}.${mac(key, payload, binding).toString("base64url")}`;
}

/** Reads a signed state; `undefined` when it is malformed, foreign, changed or too old. */
export function readRoundTrip(
  key: Uint8Array,
  state: string,
  binding: RoundTripBinding,
  nowMs: number,
): RoundTrip | undefined {
  const [payload = "", signature = ""] = state.slice(requestStatePrefix.length).split(".");
  if (!state.startsWith(requestStatePrefix)) return undefined;
  const given = Buffer.from(signature, "base64url");
  const expected = mac(key, payload, binding);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // The signature vouches for the shape as well: only a server can have written it.
  const body: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
  if (!isJsonObject(body) || typeof body.task !== "string") return undefined;
  if (typeof body.seq !== "number" || typeof body.until !== "number") return undefined;
  return body.until < nowMs ? undefined : { taskId: body.task, seq: body.seq };
}

function mac(key: Uint8Array, payload: string, { owner, tool, input }: RoundTripBinding): Buffer {
  const call = createHash("sha256")
    .update(canonicalJson([owner, tool, input]))
    .digest("hex");
  return createHmac("sha256", key).update(`resumable-mcp request state\0${call}\0${payload}`).digest();
}
