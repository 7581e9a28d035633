import { setImmediate as nextTurn } from "node:timers/promises";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

/** Text that was taken from a source. */
export interface TakenText {
  readonly text: string;
  /** To be called when a connection that was open accepted it; never when that is in doubt. */
  readonly onSent?: (() => void) | undefined;
}

/** Text that comes bit by bit, and ends. */
export interface TextSource {
  /** Nothing is left to take, and nothing will come. */
  readonly ended: boolean;
  /** Takes what is there, in pieces as they were written, until they are so many bytes or more. */
  take(maxBytes: number): TakenText;
  /** Tells its one reader each time that there is something to take, or that it ended. */
  follow(onMore: () => void): void;
  /** Its reader left. */
  cancel(): void;
}

type Body = string | TextSource | ReadableStream<Uint8Array> | undefined;

/** An answer over HTTP, before it becomes Node's or a Web-standard one. */
export class HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Body;
  /** To be called when a connection that was open accepted the last byte; never when that is in doubt. */
  readonly onSent: (() => void) | undefined;

  constructor(status: number, headers: Record<string, string> = {}, body?: Body, onSent?: () => void) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.onSent = onSent;
  }

  static json(value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer {
    return new HttpAnswer(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }

  static ofWeb({ status, headers, body }: Response, onSent?: () => void): HttpAnswer {
    return new HttpAnswer(status, Object.fromEntries(headers), body ?? undefined, onSent);
  }

  /** The same answer with more headers. */
  with(headers: Record<string, string>): HttpAnswer {
    return new HttpAnswer(this.status, { ...this.headers, ...headers }, this.body, this.onSent);
  }

  toWeb(): Response {
    const { status, headers, body, onSent } = this;
    if (body === undefined) return new Response(null, { status, headers });
    if (typeof body === "object" && !(body instanceof ReadableStream)) {
      return new Response(webBody(body), { status, headers });
    }
    if (onSent === undefined) return new Response(body, { status, headers });
    const sized = new Headers(headers);
    if (typeof body === "string") sized.set("content-length", String(encoder.encode(body).byteLength));
    const read = new Response(body).body ?? new ReadableStream<Uint8Array>();
    return new Response(readToEnd(read, onSent), { status, headers: sized });
  }
}

const encoder = new TextEncoder();
/** Of one chunk, at least, where there is more. */
const chunkBytes = 16 * 1024;

/** Makes a Web-standard body of a source; it takes only what is read. */
export function webBody(source: TextSource): ReadableStream<Uint8Array> {
  let wanted: (() => void) | undefined;
  let wasRead: (() => void) | undefined;
  let cancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        source.follow(() => {
          if (source.ended && wasRead === undefined) controller.close();
          wanted?.();
          wanted = undefined;
        });
      },
      async pull(controller) {
        if (wasRead !== undefined) await passedOn();
        if (cancelled) return;
        wasRead?.();
        wasRead = undefined;
        if (source.ended) return controller.close();
        let { text, onSent } = source.take(chunkBytes);
        if (text === "") {
          await new Promise<void>((resolve) => {
            wanted = resolve;
          });
          ({ text, onSent } = source.take(chunkBytes));
        }
        if (text === "") return;
        controller.enqueue(encoder.encode(text));
        wasRead = onSent;
        if (source.ended && onSent === undefined) controller.close();
      },
      cancel() {
        cancelled = true;
        source.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A Web-standard body tells no more than that its reader came for more: what was read before has been passed on. */
function readToEnd(body: ReadableStream<Uint8Array>, onSent: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let cancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        await passedOn();
        if (cancelled) return;
        onSent();
        controller.close();
      },
      cancel(reason) {
        cancelled = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Resolves when what the reader took in this turn of the event loop has reached its connection.
 *
 * The reader sees the end of the body only afterwards: a caller that has the whole result and calls again finds the
 * delivery noted.
 */
function passedOn(): Promise<void> {
  return nextTurn();
}

/** JSON-RPC numbers that go with an HTTP status; MCP, Transports, "Streamable HTTP". */
const codesOfStatus: { readonly [status: number]: number } = {
  400: rpcCodes.invalidRequest,
  404: rpcCodes.notAccepted,
  413: rpcCodes.invalidRequest,
  500: rpcCodes.internalError,
};

/** An answer that refuses a request: the status for HTTP, and a JSON-RPC error with a sentence for people. */
export function refusal(
  status: number,
  message: string,
  options: { readonly code?: number; readonly headers?: Record<string, string>; readonly id?: string | number } = {},
): HttpAnswer {
  const code = options.code ?? codesOfStatus[status] ?? rpcCodes.refused;
  return HttpAnswer.json(rpcErrorResponse(options.id ?? null, code, message), status, options.headers);
}
