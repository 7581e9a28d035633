import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An address in front of several servers. */
export interface RoundRobin {
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on a free port of this machine, and gives each request to the next of the servers.
 *
 * A request whose connection is refused goes to the one after it; when all refuse, the answer is 502. Answers are passed on as
 * they come, so that streams work.
 *
 * @param ports of the servers on this machine, running or not.
 */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const first = turn++;
    const order = ports.map((_, index) => ports[(first + index) % ports.length] ?? 0);
    forward(incoming, answer, order);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function forward(incoming: IncomingMessage, answer: ServerResponse, [port, ...others]: readonly number[]): void {
  if (port === undefined) {
    answer.writeHead(502, { "retry-after": "1" }).end("No server can be reached.\n");
    return;
  }
  const { method, url, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false });
  let isConnected = false;
  outgoing.on("socket", (socket) => {
    socket.once("connect", () => {
      isConnected = true;
      incoming.pipe(outgoing);
    });
  });
  outgoing.on("response", (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    answer.flushHeaders();
    from.on("error", () => answer.destroy());
    from.pipe(answer);
  });
  outgoing.on("error", () => {
    if (!isConnected) forward(incoming, answer, others);
    else answer.destroy();
  });
  answer.on("close", () => outgoing.destroy());
}
