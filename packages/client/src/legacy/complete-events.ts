const eventEnd = /\r\n\r\n|\n\n|\r\r/g;

/**
 * Passes on a stream of server-sent events in whole events only, and closes it with the given text.
 *
 * A stream that breaks in the middle of an event ends like one that was closed before it: the SDK's parser would
 * otherwise take the torn event for a whole one, and its id for a place that has been read. What comes after the
 * end is thus seen after every event that arrived, which no timer could promise.
 *
 * Limits: an event of more than `maxEventBytes` ends the stream.
 */
export function completeEvents(
  source: ReadableStream<Uint8Array>,
  options: { readonly epilogue: string; readonly maxEventBytes: number },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(encoder.encode(options.epilogue));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const chunk = await reader.read().catch(() => undefined);
        if (chunk === undefined || chunk.done) return finish(controller);
        const split = splitEvents(rest + decoder.decode(chunk.value, { stream: true }));
        rest = split.rest;
        if (split.whole !== "") return controller.enqueue(encoder.encode(split.whole));
        if (rest.length > options.maxEventBytes) {
          await reader.cancel().catch(() => undefined);
          return finish(controller);
        }
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => undefined);
    },
  });
}

/** Cuts a text behind its last whole event. */
export function splitEvents(text: string): { readonly whole: string; readonly rest: string } {
  let end = 0;
  for (const match of text.matchAll(eventEnd)) end = match.index + match[0].length;
  return { whole: text.slice(0, end), rest: text.slice(end) };
}
