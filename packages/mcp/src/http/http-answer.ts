import { setImmediate as nextTurn } from "node:timers/promises";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

/** What was taken from a source. */
export interface TakenText {
  readonly text: string | Uint8Array;
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

/** An answer over HTTP, before it becomes Node's or a Web-standard one. */
export class HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: string | TextSource | undefined;
  /** To be called when a connection that was open accepted the last byte of a text; never when that is in doubt. */
  readonly onSent: (() => void) | undefined;

  constructor(
    status: number,
    headers: Record<string, string> = {},
    body?: string | TextSource,
    onSent?: (() => void) | undefined,
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.onSent = onSent;
  }

  static json(value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer {
    return new HttpAnswer(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }

  static ofWeb({ status, headers, body }: Response, onSent?: () => void): HttpAnswer {
    return new HttpAnswer(status, Object.fromEntries(headers), body === null ? undefined : webSource(body, onSent));
  }

  /** The same answer with more headers. */
  with(headers: Record<string, string>): HttpAnswer {
    return new HttpAnswer(this.status, { ...this.headers, ...headers }, this.body, this.onSent);
  }

  toWeb(): Response {
    const { status, headers, body, onSent } = this;
    if (typeof body === "object") return new Response(webBody(body), { status, headers });
    if (body === undefined || onSent === undefined) return new Response(body, { status, headers });
    const sized = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    return new HttpAnswer(status, sized, HttpAnswer.ofWeb(new Response(body), onSent).body).toWeb();
  }
}

const encoder = new TextEncoder();
/** Of one chunk, at least, where there is more. */
const chunkBytes = 16 * 1024;

/**
 * Makes a Web-standard body of a source; it takes only what is read. Such a body tells no more than that its reader came
 * for more: what was read before has been passed on.
 */
export function webBody(source: TextSource): ReadableStream<Uint8Array> {
  let onMore = () => {};
  let wasRead: (() => void) | undefined;
  let cancelled = false;
  const tell = async () => {
    if (wasRead === undefined) return;
    // What the reader took in this turn has reached its connection with the next. It sees the end of the body only
    // afterwards: a caller that has the whole result and calls again finds the delivery noted.
    await nextTurn();
    if (!cancelled) wasRead();
    wasRead = undefined;
  };
  return new ReadableStream<Uint8Array>(
    {
      start: () => source.follow(() => onMore()),
      async pull(controller) {
        await tell();
        let taken = source.take(chunkBytes);
        while (taken.text.length === 0 && !source.ended && !cancelled) {
          await new Promise<void>((resolve) => {
            onMore = resolve;
          });
          taken = source.take(chunkBytes);
        }
        if (cancelled) return;
        const { text, onSent } = taken;
        if (text.length > 0) controller.enqueue(typeof text === "string" ? encoder.encode(text) : text);
        wasRead = onSent;
        // A reader that has the last text comes once more.
        if (!source.ended || (text.length > 0 && onSent !== undefined)) return;
        await tell();
        if (!cancelled) controller.close();
      },
      cancel() {
        cancelled = true;
        source.cancel();
        onMore();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Bytes that all answers share, as a source: what a client does not read is not copied for it. */
export function bytesSource(bytes: Uint8Array): TextSource {
  let at = 0;
  let onMore = () => {};
  return {
    get ended() {
      return at >= bytes.length;
    },
    take(maxBytes) {
      const text = bytes.subarray(at, at + maxBytes);
      at += text.length;
      if (at < bytes.length) onMore();
      return { text };
    },
    follow(listener) {
      onMore = listener;
      listener();
    },
    cancel() {
      at = bytes.length;
    },
  };
}

/** A Web-standard body as a source. `onSent` belongs to its end. */
function webSource(body: ReadableStream<Uint8Array>, onSent: (() => void) | undefined): TextSource {
  const reader = body.getReader();
  let next: Uint8Array | undefined;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let onMore = () => {};
  const read = async () => {
    try {
      const { done, value } = await reader.read();
      ended = done;
      next = value;
    } catch (error) {
      failure = { error };
    }
    onMore();
  };
  return {
    get ended() {
      return ended;
    },
    take() {
      if (failure !== undefined) throw failure.error;
      if (next === undefined) return { text: "", onSent: ended ? onSent : undefined };
      const text = next;
      next = undefined;
      void read();
      return { text };
    },
    follow(listener) {
      onMore = listener;
      void read();
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
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
