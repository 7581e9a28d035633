import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, withDefaults } from "@resumable-mcp/protocol";
import type { ClientEvent } from "../client.js";
import { ClientError, isClientError } from "../client-error.js";
import { callOnce, type StreamPlace } from "../connection/call-once.js";
import { Connection } from "../connection/connection.js";
import { openServerLink } from "../era-2025/open-server-link.js";
import { initialFollowState, takeLog, takeProgress } from "../follow/follow-state.js";
import { Follower } from "../follow/follower.js";
import { type ClientLimits, defaultLimits } from "../limits.js";
import { packageVersion } from "../package-version.js";
import { type TaskResult, toTaskResult } from "../tool-result.js";
import { createStreamCacheFile, type StreamCache, type StreamCacheFile } from "./stream-cache.js";

/** What a stream call is made with. */
export interface OpenStreamCallOptions {
  readonly url: string;
  readonly token?: string;
  /** Where the call in flight is written down; one file holds one call. */
  readonly cacheFile: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly limits?: Partial<ClientLimits>;
}

/** A plain call whose answer any later process can get. */
export interface StreamCall {
  /** The call was in flight: this process takes up its stream and sends nothing. */
  readonly resumed: boolean;
  /** Resolves as soon as a new process could get the answer, or has no need to; rejects when the call has failed. */
  readonly resumable: Promise<void>;
  events(): AsyncIterableIterator<ClientEvent>;
  result(): Promise<TaskResult>;
  /** Leaves the call in flight, for a later process. */
  close(): Promise<void>;
}

/**
 * Makes a plain call over Streamable HTTP, without tasks, that survives the death of this process: session and place
 * in the stream are on the disk, and a new process resumes with `Mcp-Session-Id` and `Last-Event-ID`.
 *
 * The server has to keep its streams; those of this toolkit do, also across their own restarts.
 * Retry: the call itself is sent once.
 *
 * Source: MCP 2025-11-25, Transports, "Resumability and Redelivery".
 *
 * @throws {@link ClientError} `STREAM_LOST` from `result()` when the server no longer knows the call.
 */
export async function openStreamCall(options: OpenStreamCallOptions): Promise<StreamCall> {
  const cacheFile = createStreamCacheFile(options.cacheFile);
  const found = await cacheFile.read();
  const cached = found !== undefined && isSameCall(found, options) ? found : undefined;
  const limits = withDefaults(defaultLimits, options.limits);
  const connection = connect(options, limits, cached);
  const progressToken = cached?.progress_token ?? randomUUID();
  const { promise: resumable, resolve: markResumable, reject: markFailed } = deferred();
  if (cached !== undefined) markResumable();
  const onPlace = (place: StreamPlace) => {
    const saved = save(cacheFile, options, place, progressToken, cached);
    // A place that could not be written down is only older than it could be.
    saved.then(markResumable, () => undefined);
  };
  const follower = new Follower(
    async (emit, signal) =>
      request(connection, options, { limits, progressToken, cached, onPlace, emit, signal, cacheFile }),
    { maxQueuedEvents: limits.maxQueuedEvents, eager: true },
  );
  // A call that was answered before its place came needs none.
  follower.result().then(markResumable, markFailed);
  return {
    resumed: cached !== undefined,
    resumable,
    events: () => follower.events(),
    result: () => follower.result(),
    async close() {
      await connection.close();
      await cacheFile.drain();
    },
  };
}

interface StreamRequest {
  readonly limits: ClientLimits;
  readonly progressToken: string;
  readonly cached: StreamCache | undefined;
  readonly onPlace: (place: StreamPlace) => void;
  readonly emit: (event: ClientEvent) => void;
  readonly signal: AbortSignal;
  readonly cacheFile: StreamCacheFile;
}

async function request(
  connection: Connection,
  options: OpenStreamCallOptions,
  call: StreamRequest,
): Promise<TaskResult> {
  const { limits, progressToken, cached, onPlace, emit, signal, cacheFile } = call;
  let state = initialFollowState;
  const take = (step: ReturnType<typeof takeProgress>) => {
    state = step.state;
    for (const event of step.events) emit(event);
  };
  const asked = { name: options.tool, arguments: options.arguments, meta: {} };
  try {
    const answer = await callOnce(connection, { annotations: {}, meta: {}, needsTask: false }, asked, {
      timeoutMs: limits.plainCallTimeoutMs,
      resetTimeoutOnProgress: true,
      signal,
      progressToken,
      onPlace,
      onProgress: (message) => take(takeProgress(state, message)),
      onLog: (message) => take(takeLog(state, message)),
      place: cached === undefined ? undefined : { token: cached.last_event_id, sessionId: cached.session_id },
    });
    await cacheFile.remove();
    return toTaskResult(answer);
  } catch (error) {
    if (!isClientError(error) || error.code !== "CONNECTION_LOST") throw error;
    await cacheFile.remove();
    throw new ClientError(
      "STREAM_LOST",
      `${options.url} no longer knows the call of ${options.tool}; the call may have taken effect. Repeat it only if a second call does no harm.`,
      { cause: error },
    );
  } finally {
    await connection.close();
  }
}

function connect(options: OpenStreamCallOptions, limits: ClientLimits, cached: StreamCache | undefined): Connection {
  const { url, token } = options;
  const server = { url, token };
  const version = cached?.protocol_version ?? undefined;
  const session = cached === undefined ? {} : { session: { sessionId: cached.session_id, protocolVersion: version } };
  return new Connection({
    address: url,
    advice: "Start it first; the call is kept and can be resumed.",
    limits,
    random: Math.random,
    delay: async (ms, signal) => {
      await delay(ms, undefined, { signal });
    },
    ...session,
    open: async (known) => {
      const link = await openServerLink(server, known, {
        clientInfo: { name: "resumable-mcp-stream", version: packageVersion },
        idPrefix: `${randomUUID()}:`,
        meta: {},
        connectTimeoutMs: limits.requestTimeoutMs,
        maxEventBytes: limits.maxEventBytes,
      });
      return link;
    },
  });
}

async function save(
  cacheFile: StreamCacheFile,
  options: OpenStreamCallOptions,
  place: StreamPlace,
  progressToken: string,
  cached: StreamCache | undefined,
): Promise<void> {
  if (place.sessionId === undefined) return;
  await cacheFile.write({
    server_url: options.url,
    session_id: place.sessionId,
    protocol_version: place.protocolVersion ?? null,
    last_event_id: place.token,
    progress_token: progressToken,
    tool: options.tool,
    arguments: options.arguments,
    created_at: cached?.created_at ?? new Date().toISOString(),
  });
}

function isSameCall(cache: StreamCache, options: OpenStreamCallOptions): boolean {
  return (
    cache.server_url === options.url &&
    cache.tool === options.tool &&
    JSON.stringify(cache.arguments) === JSON.stringify(options.arguments)
  );
}

/** A promise with its functions; a rejection without a waiter does not end the program. */
function deferred(): { readonly promise: Promise<void>; resolve(): void; reject(reason: unknown): void } {
  let resolve = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = () => onResolve();
    reject = onReject;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
