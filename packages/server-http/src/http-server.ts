import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { NodeListener } from "@resumable-mcp/mcp";
import { networkOf, type TrustedProxies } from "./addresses.js";
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
    const network = networkOf(remoteAddress);
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
