import type { RequestId } from "@modelcontextprotocol/sdk/types.js";

/** A place in a stream; what `Last-Event-ID` names. */
export interface Cursor {
  readonly stream: string;
  /** Durable calls: the seq of the task's journal. Other streams: a count. */
  readonly place: number;
}

/** Source: MCP 2025-11-25, Transports, "Resumability and Redelivery": ids are unique within the session. */
export function formatEventId(stream: string, place: number): string {
  return `${stream}.${place}`;
}

/** Parses what a client sent; `undefined` when no server of ours made it. */
export function parseEventId(text: string): Cursor | undefined {
  const match = /^([A-Za-z0-9_-]{1,1024})\.(0|[1-9][0-9]{0,14})$/.exec(text);
  const [, stream, place] = match ?? [];
  return stream === undefined ? undefined : { stream, place: Number(place) };
}

const oncePrefix = "once_";
const maxOnceLength = 512;

/** What has to be known of a request to answer for it after a restart. */
export interface OnceFacts {
  readonly requestId: RequestId;
  readonly method: string;
  readonly tool: string | undefined;
}

/**
 * Names the stream of a request that must never run twice. The name itself carries what is needed to answer for it
 * after a restart, so that such a call costs no write. `undefined` when that would make the name too long.
 */
export function onceStream(nonce: string, { requestId, method, tool }: OnceFacts): string | undefined {
  const fact = Buffer.from(JSON.stringify([requestId, method, tool ?? null])).toString("base64url");
  const name = `${oncePrefix}${nonce}_${fact}`;
  return name.length <= maxOnceLength ? name : undefined;
}

/** Reads such a name; the nonce has no underscore. */
export function parseOnceStream(stream: string): OnceFacts | undefined {
  const match = /^once_[A-Za-z0-9]+_([A-Za-z0-9_-]+)$/.exec(stream);
  if (match?.[1] === undefined) return undefined;
  const fact: unknown = parseJson(Buffer.from(match[1], "base64url").toString());
  const [requestId, method, tool]: unknown[] = Array.isArray(fact) ? fact : [];
  if (typeof method !== "string" || (typeof requestId !== "string" && typeof requestId !== "number")) return undefined;
  return { requestId, method, tool: typeof tool === "string" ? tool : undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
