import type { JsonObject } from "@resumable-mcp/core";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { limits2026 } from "../../limits.js";
import { isAcknowledgement, type WatchedPart, withWatched } from "./listen-request.js";

/** A stream of notifications, opened by the SDK and kept open for tasks. */
export interface ListenStreamOptions {
  /** The SDK's stream. */
  readonly source: ReadableStream<Uint8Array>;
  readonly subscriptionId: string | number;
  readonly watched: WatchedPart;
  readonly keepAliveMs: number;
  /** Begins to tell of the tasks, once the subscription is acknowledged. */
  readonly begin: (send: (notification: JsonObject) => Promise<void>, signal: AbortSignal) => void;
  /** The stream is over. */
  readonly onEnd: () => void;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A stream that is open, and how to end it as a server does. */
export interface ListenStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Sends the result of the request and ends the stream. Source: MCP 2026-07-28, "SubscriptionsListenResult". */
  close(): void;
}

/**
 * Keeps a subscription open and mixes messages about tasks into it.
 *
 * The SDK ends a stream for which it knows nothing to tell. Its last message is kept back then, until the server ends
 * the stream itself.
 *
 * Limits: holds one message per task and one of the SDK's while its reader is slow.
 */
export function listenStream(options: ListenStreamOptions): ListenStream {
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const waiting: (() => void)[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let farewell: string | undefined;
  const write = (frame: string): void => {
    if (!stop.signal.aborted) controller.enqueue(encoder.encode(frame));
  };
  const room = async (): Promise<void> => {
    while (!stop.signal.aborted && (controller.desiredSize ?? 0) <= 0) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const keepAlive = setInterval(() => {
    if ((controller.desiredSize ?? 0) > 0) write(": keepalive\n\n");
  }, options.keepAliveMs);
  keepAlive.unref();
  const end = (last?: string): void => {
    if (stop.signal.aborted) return;
    if (last !== undefined) write(last);
    clearInterval(keepAlive);
    stop.abort("ended");
    wake();
    options.onEnd();
  };
  const pass = async (): Promise<void> => {
    for await (const { data } of readEvents(options.source, stop.signal)) {
      await room();
      const message: unknown = JSON.parse(data);
      if (isResultOf(message, options.subscriptionId)) farewell = messageFrame(message);
      else if (isAcknowledgement(message)) {
        write(messageFrame(withWatched(message, options.watched)));
        options.begin(async (notification) => {
          await room();
          write(messageFrame(notification));
        }, stop.signal);
      } else write(messageFrame(message));
    }
  };
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      pass().catch((error: unknown) => {
        if (stop.signal.aborted) return;
        options.onError?.(error);
        end();
        given.close();
      });
    },
    pull: wake,
    cancel: () => end(),
  });
  return {
    body,
    close() {
      if (stop.signal.aborted) return;
      end(farewell ?? messageFrame(emptyResult(options.subscriptionId)));
      controller.close();
    },
  };
}

function isResultOf(message: unknown, id: string | number): boolean {
  return typeof message === "object" && message !== null && "result" in message && "id" in message && message.id === id;
}

function emptyResult(id: string | number): JsonObject {
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } };
}

/** Reads the events of an event stream, until it ends or `signal` aborts, which cancels it. */
export function readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<EventSourceMessage> {
  const parser = new EventSourceParserStream({ maxBufferSize: limits2026.maxFrameLength, onError: "terminate" });
  return body.pipeThrough(new TextDecoderStream(), { signal }).pipeThrough(parser);
}

/** Passes a stream on, and calls back when it is over. */
export function withEnd(source: ReadableStream<Uint8Array>, onEnd: () => void): ListenStream {
  const reader = source.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
  // The reader finds the end, and so does the body.
  return { body, close: () => void reader.cancel().catch(() => {}) };
}

/** A message as a frame. Source: HTML, "Server-sent events". */
export function messageFrame(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
