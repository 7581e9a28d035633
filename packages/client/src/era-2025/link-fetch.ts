import { rpcCodes } from "@resumable-mcp/protocol";
import { completeEvents, limitedBody } from "./complete-events.js";

/** Fetches as the SDK's HTTP transport needs it for a link that notices every break. */
export interface LinkFetchOptions {
  readonly fetch: typeof fetch;
  /** Of one event, and of a response that is not a stream of events. */
  readonly maxEventBytes: number;
  /** The id of the request whose stream is being resumed, since a GET does not name it. */
  readonly resumedId: () => string | undefined;
  /** Called when the server answers a resumed stream with "nothing to resume". */
  readonly onNothingToResume: () => void;
}

/**
 * Wraps `fetch` so that each request whose stream ends without an answer gets one: an error of the code `streamEnded`.
 *
 * The SDK notices a broken stream, but not which of its requests is lost, and a stream that ends politely without
 * an answer leaves the request hanging until its timeout. The answer is appended to the stream itself, so it
 * arrives after everything that the server sent; where the server did answer, the SDK drops it as unknown.
 *
 * The stream that a client may open for messages outside of requests is not opened: nothing here needs it.
 */
export function createLinkFetch(options: LinkFetchOptions): typeof fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    const resumed = headers.get("last-event-id");
    if (init?.method === "GET" && resumed === null) return new Response(null, { status: 405 });
    const response = await options.fetch(url, init);
    if (resumed !== null && response.status === 405) options.onNothingToResume();
    if (response.body === null) return response;
    if (!isEventStream(response)) return withBody(response, limitedBody(response.body, options.maxEventBytes));
    const resumedId = resumed === null ? undefined : options.resumedId();
    const ids = resumedId === undefined ? requestIds(init?.body) : [resumedId];
    const epilogue = ids.map(endedAnswer).join("");
    const body = completeEvents(response.body, { epilogue, maxEventBytes: options.maxEventBytes });
    return withBody(response, body);
  };
}

function withBody({ status, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status, headers });
}

function isEventStream(response: Response): boolean {
  return response.ok && (response.headers.get("content-type") ?? "").includes("text/event-stream");
}

function endedAnswer(id: string | number): string {
  const error = { code: rpcCodes.streamEnded, message: "the stream ended before the answer came" };
  return `data: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`;
}

/** Reads the ids of the requests in a body that the SDK has made. */
function requestIds(body: unknown): readonly (string | number)[] {
  if (typeof body !== "string") return [];
  const parsed: unknown = JSON.parse(body);
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((message: unknown) =>
    isRequest(message) ? [message.id] : [],
  );
}

function isRequest(value: unknown): value is { id: string | number } {
  return typeof value === "object" && value !== null && "method" in value && "id" in value;
}
