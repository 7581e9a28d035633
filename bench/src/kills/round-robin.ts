import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Finds ports of this machine at which nothing listens. */
export function freePorts(count: number): Promise<readonly number[]> {
  const find = async (): Promise<number> => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  };
  return Promise.all(Array.from({ length: count }, find));
}

/** An address in front of several servers. */
export interface RoundRobin {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Gives each request to the next of the servers, and one that is refused to the server after it.
 *
 * @param ports of the servers on this machine, running or not.
 */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const first = turn++;
    pass(
      incoming,
      answer,
      ports.map((_, index) => ports[(first + index) % ports.length] ?? 0),
    );
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

function pass(incoming: IncomingMessage, answer: ServerResponse, [port, ...others]: readonly number[]): void {
  if (port === undefined) {
    answer.writeHead(502).end();
    return;
  }
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
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
