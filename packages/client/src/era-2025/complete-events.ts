import { LinkFailure } from "../connection/link.js";

const eventEnd = /\r\n\r\n|\n\n|\r\r/g;
const longestEnd = 4;

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
  const split = createEventSplitter();
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(encoder.encode(options.epilogue));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const chunk = await reader.read().catch(() => undefined);
        if (chunk === undefined || chunk.done) return finish(controller);
        const { whole, restLength } = split(decoder.decode(chunk.value, { stream: true }));
        if (whole !== "") return controller.enqueue(encoder.encode(whole));
        if (restLength > options.maxEventBytes) {
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

/** Takes a text piece by piece; gives what ends with a whole event, and how much is left over. */
export function createEventSplitter(): (text: string) => { readonly whole: string; readonly restLength: number } {
  let rest: string[] = [];
  let restLength = 0;
  // An end may have begun before this piece; looking at all that is left over each time would take ever longer.
  let overlap = "";
  return (text) => {
    const looked = overlap + text;
    const end = endOfLastEvent(looked) - overlap.length;
    const whole = end < 0 ? "" : [...rest, text.slice(0, end)].join("");
    const left = end < 0 ? text : text.slice(end);
    if (end >= 0) [rest, restLength] = [[], 0];
    rest.push(left);
    restLength += left.length;
    overlap = (end < 0 ? looked : left).slice(1 - longestEnd);
    return { whole, restLength };
  };
}

/** Where a text's last whole event ends; below 0 when none does. */
function endOfLastEvent(text: string): number {
  let end = Number.NEGATIVE_INFINITY;
  for (const match of text.matchAll(eventEnd)) end = match.index + match[0].length;
  return end;
}

/**
 * Passes on a body of bytes, up to a limit: a reader of the whole body keeps it in memory.
 *
 * @throws {@link LinkFailure} `answer` to the reader of one that is larger.
 */
export function limitedBody(source: ReadableStream<Uint8Array>, maxEventBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxEventBytes) controller.enqueue(chunk);
      else controller.error(new LinkFailure("answer", `its answer is larger than maxEventBytes = ${maxEventBytes}`));
    },
  });
  return source.pipeThrough(counting);
}
