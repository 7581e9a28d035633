import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { NodeListener } from "@resumable-mcp/mcp";
import { type TrustedProxies, toNetwork } from "./addresses.js";
import type { HttpLimits } from "./http-limits.js";

/** A server that no one address can keep from others: by connections, silent or not, and by requests that never end. */
export function createHttpServer(limits: HttpLimits, proxies: TrustedProxies, listen: NodeListener): Server {
  const { requestTimeoutMs: requestTimeout, headersTimeoutMs: headersTimeout, maxHeaderBytes: maxHeaderSize } = limits;
  const http = createServer(
    { requestTimeout, headersTimeout, connectionsCheckingInterval: headersTimeout, maxHeaderSize },
    (incoming, outgoing) => {
      // Of two names, a proxy in front may have judged the one and this server the other.
      const names = incoming.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
      if (names.length > 1) outgoing.writeHead(400, { connection: "close" }).end();
      else listen(incoming, outgoing);
    },
  );
  http.maxConnections = limits.maxConnections;
  const open = new Map<string, number>();
  http.on("connection", (socket: Socket) => {
    // Once asked for, a socket keeps it: a client that has disconnected by now has sent a local request all the same.
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || proxies.has(remoteAddress)) return;
    const network = toNetwork(remoteAddress);
    const count = (open.get(network) ?? 0) + 1;
    if (count > limits.maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
  return http;
}

/** `undefined` for a socket that is a file: its clients are on this machine, but may be proxies. */
export function readAddress(http: Server): string | undefined {
  const address = http.address();
  return typeof address === "object" ? address?.address : undefined;
}

/** Answers the requests that have come in, and those of connections that were just made; then ends all connections. */
export function closeHttp(http: Server, { closeTimeoutMs }: Pick<HttpLimits, "closeTimeoutMs">): Promise<void> {
  return new Promise((resolve) => {
    // A connection that is kept open for a next request waits for none.
    const endingIdle = setInterval(() => http.closeIdleConnections(), 10);
    // What is not over by then belongs to clients that do not read, or say nothing.
    const ending = setTimeout(() => http.closeAllConnections(), closeTimeoutMs);
    http.close(() => {
      clearInterval(endingIdle);
      clearTimeout(ending);
      resolve();
    });
  });
}
