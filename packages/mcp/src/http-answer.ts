/** Text that comes bit by bit, and ends. */
export interface TextSource {
  /** Nothing is left to take, and nothing will come. */
  readonly ended: boolean;
  /** Takes what is there, in pieces as they were written, until they are so many bytes or more. */
  take(maxBytes: number): string;
  /** Tells its one reader each time that there is something to take, or that it ended. */
  follow(onMore: () => void): void;
  /** Its reader is gone. */
  cancel(): void;
}

type Body = string | TextSource | ReadableStream<Uint8Array> | undefined;

/** An answer over HTTP, before it becomes Node's or a Web-standard one. */
export class HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Body;

  constructor(status: number, headers: Record<string, string> = {}, body?: Body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  static json(value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer {
    return new HttpAnswer(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }

  static ofWeb({ status, headers, body }: Response): HttpAnswer {
    return new HttpAnswer(status, Object.fromEntries(headers), body ?? undefined);
  }

  toWeb(): Response {
    const { status, headers, body } = this;
    const isPlain = body === undefined || typeof body === "string" || body instanceof ReadableStream;
    return new Response(isPlain ? (body ?? null) : webBody(body), { status, headers });
  }
}

const encoder = new TextEncoder();
/** Of one chunk, at least, where there is more. */
const chunkBytes = 16 * 1024;

/** Makes a Web-standard body of a source; it takes only what somebody reads. */
export function webBody(source: TextSource): ReadableStream<Uint8Array> {
  let wanted: (() => void) | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        source.follow(() => {
          if (source.ended) controller.close();
          wanted?.();
          wanted = undefined;
        });
      },
      async pull(controller) {
        let text = source.take(chunkBytes);
        if (text === "" && !source.ended) {
          await new Promise<void>((resolve) => {
            wanted = resolve;
          });
          text = source.take(chunkBytes);
        }
        if (text === "") return;
        controller.enqueue(encoder.encode(text));
        if (source.ended) controller.close();
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}
