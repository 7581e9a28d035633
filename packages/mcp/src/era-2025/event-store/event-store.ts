import { createHash } from "node:crypto";
import { isJsonObject, isResumableError, type JsonObject, ResumableError, type Store } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { sessionLimits } from "../../limits.js";
import type { EventStore, JSONRPCMessage } from "../../sdk-2025.js";
import { forSdk } from "../../sdk-workarounds.js";

/** The kind of the documents that hold streams of events. */
const streamKind = "event-stream";

const sweepEveryMs = 60 * 60_000;
const sweepBatch = 1_000;
const sweptMs = new WeakMap<Documents, number>();

/** How events are kept. */
export interface EventStoreOptions {
  readonly store: Store;
  /** The session whose streams these are. Every session needs its own: all of them call their own stream the same. */
  readonly sessionId: string;
  /** Events kept of each stream; the oldest go first. Default 200. */
  readonly maxEventsPerStream?: number;
}

interface StoredStream {
  readonly version: number;
  readonly next: number;
  readonly events: readonly JsonObject[];
}

/**
 * Makes a durable event store for the SDK's own HTTP transport: streams are replayed after a restart too.
 *
 * It keeps what was sent, and nothing else: the SDK's transport forgets its session and the calls in flight when the
 * process dies, so a call that was not answered by then is lost. `createSessionHandler` keeps those as well.
 *
 * Durability: an event is stored before it is sent. Ordering: as stored, for each stream.
 * Limits: `maxEventsPerStream`; a stream to which nothing was added for a week is forgotten.
 * Source: MCP 2025-11-25, Transports, "Resumability and Redelivery".
 */
export function createEventStore({ store, sessionId, maxEventsPerStream = 200 }: EventStoreOptions): EventStore {
  const owner = `events:${sessionId}`;
  const queues = new Map<string, Promise<void>>();
  const inOrder = <Value>(streamId: string, run: () => Promise<Value>): Promise<Value> => {
    const mine = (queues.get(streamId) ?? Promise.resolve()).then(run, run);
    const forget = () => void (queues.get(streamId) === done && queues.delete(streamId));
    const done: Promise<void> = mine.then(forget, forget);
    queues.set(streamId, done);
    return mine;
  };
  const append = async (streamId: string, message: JSONRPCMessage): Promise<string> => {
    const id = documentId(sessionId, streamId);
    const { version, next, events } = await read(store, id, owner);
    const event: JsonObject = { place: next, message: JSON.parse(JSON.stringify(message)) };
    const kept = [...events, event].slice(-maxEventsPerStream);
    const value = { streamId, next: next + 1, events: kept };
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    await store.putDocument({ kind: streamKind, id, owner, value, expectedVersion: version, now });
    return `${id}.${next}`;
  };
  const appendAnyway = async (streamId: string, message: JSONRPCMessage): Promise<string> => {
    try {
      return await append(streamId, message);
    } catch (error) {
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
      // Another process wrote to the same stream: once more, behind what it wrote.
      return append(streamId, message);
    }
  };
  return {
    storeEvent: (streamId, message) => {
      // A failure here costs only disk space, and is tried again.
      forgetOldStreams(store).catch(() => {});
      return inOrder(streamId, () => appendAnyway(streamId, message));
    },
    async replayEventsAfter(lastEventId, { send }) {
      const [, id = "", place = ""] = /^([\w-]{43})\.(\d{1,15})$/.exec(lastEventId) ?? [];
      const { streamId, next, events } = await read(store, id, owner);
      const first = Number(events[0]?.place ?? next);
      // A cursor older than what is kept would leave a gap that the client does not see.
      if (streamId === undefined || Number(place) >= next || Number(place) < first - 1) throw unknownEvent();
      for (const event of events) {
        if (Number(event.place) <= Number(place)) continue;
        // What primes a stream is not a message.
        if (isJsonObject(event.message) && "jsonrpc" in event.message) {
          await send(`${id}.${String(event.place)}`, forSdk(event.message));
        }
      }
      return streamId;
    },
  };
}

function documentId(sessionId: string, streamId: string): string {
  return createHash("sha256")
    .update(JSON.stringify([sessionId, streamId]))
    .digest("base64url");
}

/** A stream of another session is like one that does not exist. */
async function read(store: Store, id: string, owner: string): Promise<StoredStream & { readonly streamId?: string }> {
  const stored = id === "" ? undefined : await store.getDocument(streamKind, id);
  const value = stored?.value;
  if (stored === undefined || stored.owner !== owner || !isJsonObject(value))
    return { version: 0, next: 0, events: [] };
  const events = Array.isArray(value.events) ? value.events.filter((event) => isJsonObject(event)) : [];
  return { version: stored.version, next: Number(value.next), events, streamId: String(value.streamId) };
}

function unknownEvent(): ResumableError {
  const problems = ["does not name an event of this session"];
  return new ResumableError(
    "INVALID_VALUE",
    "Last-Event-ID does not name an event of this session. Connect without it.",
    {
      details: { what: "Last-Event-ID", problems },
    },
  );
}

/**
 * Forgets streams to which nothing was added for `sessionTtlMs`: every request of a client leaves one, and only this
 * removes them. Looks at a store once in an hour, however often it is called; what fails is tried again then.
 */
async function forgetOldStreams(documents: Documents): Promise<void> {
  const nowMs = performance.now();
  if (nowMs - (sweptMs.get(documents) ?? Number.NEGATIVE_INFINITY) < sweepEveryMs) return;
  sweptMs.set(documents, nowMs);
  const idleSinceMs = Date.now() - sessionLimits.sessionTtlMs;
  for (let found = sweepBatch; found === sweepBatch; ) {
    const idle = await documents.listIdleDocuments({ kind: streamKind, idleSinceMs, limit: sweepBatch });
    for (const { id } of idle) await documents.deleteDocument(streamKind, id);
    found = idle.length;
  }
}
