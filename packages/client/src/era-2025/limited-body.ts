import { LinkFailure } from "../connection/link.js";

/**
 * Passes on a body of bytes, up to a limit: whoever reads it whole keeps it in memory.
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
