import { createHmac } from "node:crypto";
import type { JsonObject } from "@resumable-mcp/core";
import { parseJson, type Repeatable } from "@resumable-mcp/protocol";
import { z } from "zod";
import { limits } from "../../limits.js";
import type { RequestId } from "../../sdk-2025.js";

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
  const match = /^([A-Za-z0-9_-]{1,4096})\.(0|[1-9][0-9]{0,14})(?:~([0-9.e+-]{1,32}))?$/.exec(text);
  const [, stream, place, shown] = match ?? [];
  // -0 is written as 0.
  const progress = shown === undefined ? undefined : Number(shown) + 0;
  if (stream === undefined || (progress !== undefined && !Number.isFinite(progress))) return undefined;
  return { stream, place: Number(place), progress };
}

/** What has to be known of a request to answer for it in any process, also after a restart. */
export interface StreamFacts {
  readonly kind: Repeatable;
  readonly requestId: RequestId;
  readonly method: string;
  readonly tool?: string | undefined;
  /** The task whose journal the stream shows. */
  readonly taskId?: string | undefined;
  /** Of a request that runs again: all. Of a call that has a task: what its caller is known by. */
  readonly params?: JsonObject | undefined;
  /** The client that the session had named, where the request names none. */
  readonly clientId?: string | undefined;
  /** When the request came, in milliseconds of the wall clock. */
  readonly acceptedMs: number;
}

/**
 * Names the stream of a request. The name itself carries what is needed to go on with it after a restart, so that the stream costs no
 * write; it is signed with the key of the session, which no client knows. `undefined` when that would make the name too long.
 */
export function nameStream(key: string, callId: string, facts: StreamFacts): string | undefined {
  const { kind, requestId, method, tool, taskId, params, clientId, acceptedMs } = facts;
  const isToolCall = method === "tools/call";
  const asWritten = [
    requestId,
    isToolCall ? null : method,
    params === undefined ? tool : null,
    taskId,
    params,
    clientId,
    acceptedMs,
  ];
  const known = asWritten.map((fact) => fact ?? null);
  const fact = Buffer.from(JSON.stringify(known)).toString("base64url");
  const name = `${kind}_${callId}_${signature(key, `${kind}_${callId}_${fact}`)}_${fact}`;
  return name.length <= limits.maxStreamNameLength ? name : undefined;
}

/** The name of a stream that is known only as long as its process lives. */
export const bareName = (kind: Repeatable, callId: string): string => `${kind}_${callId}`;

/** The id of the call whose stream has a name; it has no underscore. */
export const callOfStream = (stream: string): string => stream.split("_")[1] ?? "";

const fact = z.tuple([
  z.union([z.string(), z.number()]),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.record(z.string(), z.json()).nullable(),
  z.string().nullable(),
  z.number(),
]);

/** Reads such a name, if it was given to this session. */
export function parseStreamName(key: string, stream: string): StreamFacts | undefined {
  const [, kind, callId, signed, text = ""] =
    /^(once|again|journal)_([A-Za-z0-9]+)_([0-9a-f]+)_([A-Za-z0-9_-]+)$/.exec(stream) ?? [];
  if (!isRepeatable(kind) || signed !== signature(key, `${kind}_${callId}_${text}`)) return undefined;
  const { data } = fact.safeParse(parseJson(Buffer.from(text, "base64url").toString()));
  if (data === undefined) return undefined;
  const [requestId, method, tool, taskId, params, clientId, acceptedMs] = data;
  const read = <Value>(value: Value | null) => value ?? undefined;
  const named = tool ?? (method === null ? params?.name : undefined);
  return {
    ...{ kind, requestId, method: method ?? "tools/call", acceptedMs },
    ...{ tool: typeof named === "string" ? named : undefined, taskId: read(taskId) },
    ...{ params: read(params as JsonObject | null), clientId: read(clientId) },
  };
}

function isRepeatable(kind: string | undefined): kind is Repeatable {
  return kind === "once" || kind === "again" || kind === "journal";
}

function signature(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
}
