import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An address in front of several servers. */
export interface RoundRobin {
  readonly url: string;
  close(): Promise<void>;
}

/** Gives each request to the next of the servers that live just now, and one that is refused to the server after it. */
export async function startRoundRobin(living: () => readonly URL[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const servers = living();
    const first = turn++ % servers.length;
    pass(incoming, answer, [...servers.slice(first), ...servers.slice(0, first)]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(incoming: IncomingMessage, answer: ServerResponse, [first, ...others]: readonly URL[]): void {
  if (first === undefined) {
    answer.writeHead(502).end();
    return;
  }
  const { method, url: path, headers } = incoming;
  const { hostname, port } = first;
  const outgoing = request({ hostname, port, method, path, headers, agent: false });
  let isConnected = false;
  outgoing.on("socket", (socket) =>
    socket.once("connect", () => {
      isConnected = true;
      incoming.pipe(outgoing);
    }),
  );
  outgoing.on("response", (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    answer.flushHeaders();
    // What a server wrote before it died reaches the client: to the server it was accepted.
    from.on("error", () => answer.write("", () => answer.destroy()));
    from.pipe(answer);
  });
  outgoing.on("error", () => {
    if (!isConnected) pass(incoming, answer, others);
    else if (!answer.headersSent) answer.destroy();
  });
  answer.on("close", () => outgoing.destroy());
}
