import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What listens on a port of this machine. */
export interface LocalServer {
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on a free port of this machine. */
export async function listenLocally(onRequest: RequestListener): Promise<LocalServer> {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What a proxy changes of what it passes on. */
export interface Changes {
  /** The headers of the request; as they came where it is absent. */
  readonly headers?: OutgoingHttpHeaders;
  /** Gives the headers of the answer. */
  readonly answerHeaders?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
}

/**
 * Passes a request on to a server of this machine, and its answer back as it comes, so that streams work.
 *
 * A request whose connection is refused goes to the next port; when all refuse, the answer is 502.
 *
 * @param ports of servers on this machine, running or not.
 */
export function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  [port, ...others]: readonly number[],
  changes: Changes = {},
): void {
  if (port === undefined) {
    answer.writeHead(502, { "retry-after": "1" }).end("No server can be reached.\n");
    return;
  }
  const { method, url } = incoming;
  const { headers = incoming.headers, answerHeaders = (given) => given } = changes;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false });
  let isConnected = false;
  outgoing.on("socket", (socket) => {
    socket.once("connect", () => {
      isConnected = true;
      incoming.pipe(outgoing);
    });
  });
  outgoing.on("response", (from) => {
    answer.writeHead(from.statusCode ?? 502, answerHeaders(from.headers));
    answer.flushHeaders();
    from.on("error", () => answer.destroy());
    from.pipe(answer);
  });
  outgoing.on("error", () => {
    if (!isConnected) forward(incoming, answer, others, changes);
    else answer.destroy();
  });
  answer.on("close", () => outgoing.destroy());
}
