import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { forward } from "../processes/forward.js";

/** An address in front of several servers. */
export interface RoundRobin {
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on a free port of this machine, and gives each request to the next of the servers.
 *
 * A request whose connection is refused goes to the one after it; when all refuse, the answer is 502.
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
