import { createHmac } from "node:crypto";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { parseJson } from "@resumable-mcp/protocol";
import { limits } from "../../limits.js";

/** A place in a stream. */
export interface Place {
  /** Durable calls: the seq of the task's journal. Other streams: a count. */
  readonly place: number;
  /** The last progress that its client was shown of the call, which no later notification may repeat. */
  readonly progress?: number;
}

/** What `Last-Event-ID` names. */
export interface Cursor extends Place {
  readonly stream: string;
}

/** Source: MCP 2025-11-25, Transports, "Resumability and Redelivery": ids are unique within the session. */
export function formatEventId({ stream, place, progress }: Cursor): string {
  return `${stream}.${place}${progress === undefined ? "" : `~${progress}`}`;
}

/** Parses what a client sent; `undefined` when no server of ours made it. */
export function parseEventId(text: string): Cursor | undefined {
  const match = /^([A-Za-z0-9_-]{1,1024})\.(0|[1-9][0-9]{0,14})(?:~([0-9.e+-]{1,32}))?$/.exec(text);
  const [, stream, place, shown] = match ?? [];
  // -0 is written as 0.
  const progress = shown === undefined ? undefined : Number(shown) + 0;
  if (stream === undefined || (progress !== undefined && !Number.isFinite(progress))) return undefined;
  return { stream, place: Number(place), progress };
}

const oncePrefix = "once_";

/** What has to be known of a request to answer for it after a restart. */
export interface OnceFacts {
  readonly requestId: RequestId;
  readonly method: string;
  readonly tool: string | undefined;
}

/**
 * Names the stream of a request that must never run twice. The name itself carries what is needed to answer for it
 * after a restart, so that such a call costs no write; it is signed with the session's id, which only its client knows.
 * `undefined` when that would make the name too long.
 */
export function onceStream(
  sessionId: string,
  nonce: string,
  { requestId, method, tool }: OnceFacts,
): string | undefined {
  const fact = Buffer.from(JSON.stringify([requestId, method, tool ?? null])).toString("base64url");
  const name = `${oncePrefix}${nonce}_${signature(sessionId, nonce, fact)}_${fact}`;
  return name.length <= limits.maxOnceLength ? name : undefined;
}

/** Reads such a name, if it was given to this session; neither nonce nor signature has an underscore. */
export function parseOnceStream(sessionId: string, stream: string): OnceFacts | undefined {
  const [, nonce, signed, text] = /^once_([A-Za-z0-9]+)_([0-9a-f]+)_([A-Za-z0-9_-]+)$/.exec(stream) ?? [];
  if (nonce === undefined || text === undefined || signed !== signature(sessionId, nonce, text)) return undefined;
  const fact: unknown = parseJson(Buffer.from(text, "base64url").toString());
  const [requestId, method, tool]: unknown[] = Array.isArray(fact) ? fact : [];
  if (typeof method !== "string" || (typeof requestId !== "string" && typeof requestId !== "number")) return undefined;
  return { requestId, method, tool: typeof tool === "string" ? tool : undefined };
}

function signature(sessionId: string, nonce: string, fact: string): string {
  return createHmac("sha256", sessionId).update(`${nonce}_${fact}`).digest("hex").slice(0, 32);
}
