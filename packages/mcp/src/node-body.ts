import type { IncomingMessage } from "node:http";

const incomingOf = new WeakMap<Request, IncomingMessage>();

/** Makes a Web-standard request whose body is read from Node's only when somebody asks for it. */
export function requestWithBody(incoming: IncomingMessage, address: URL, init: RequestInit): Request {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= incoming[Symbol.asyncIterator]();
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void incoming.destroy(),
    },
    { highWaterMark: 0 },
  );
  const request = new Request(address, { ...init, body, duplex: "half" });
  incomingOf.set(request, incoming);
  return request;
}

/**
 * The bytes of a request's body: straight from Node where it came from there, since Web streams cost more than all else
 * that is done with a small body. Whoever stops early cuts no connection.
 */
export function bytesOf(request: Request): AsyncIterable<Uint8Array> {
  const incoming = incomingOf.get(request);
  if (incoming !== undefined && !request.bodyUsed) return incoming.iterator({ destroyOnReturn: false });
  return request.body?.values({ preventCancel: true }) ?? noBytes();
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
