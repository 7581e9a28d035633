/** The longest frame that is waited for, in characters: an SDK's own messages are far below. */
const maxFrameLength = 16 * 1024 * 1024;

/** Reads the frames of an event stream, each without its closing blank line. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let buffer = "";
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      yield buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
    }
    if (buffer.length > maxFrameLength) throw new Error(`An event of more than ${maxFrameLength} characters.`);
  }
}

/** The message in a frame; `undefined` for comments and empty events. */
export function messageOfFrame(frame: string): unknown {
  const data = frame
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
  return data === "" ? undefined : JSON.parse(data);
}

/** Passes a stream on, and calls back once when it is over, whoever ended it. */
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
