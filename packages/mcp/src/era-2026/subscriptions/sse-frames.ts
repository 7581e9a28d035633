import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { limits2026 } from "../../limits.js";

/** Reads the events of an event stream, until it ends or `signal` aborts, which cancels it. */
export function readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<EventSourceMessage> {
  const parser = new EventSourceParserStream({ maxBufferSize: limits2026.maxFrameLength, onError: "terminate" });
  return body.pipeThrough(new TextDecoderStream(), { signal }).pipeThrough(parser);
}

/** Passes a stream on, and calls back once when it is over. */
export function withEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
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
}

/** A message as a frame. Source: HTML, "Server-sent events". */
export function messageFrame(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
