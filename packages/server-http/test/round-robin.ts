import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterwards, type ServerProcess, startServer } from "./server-process.js";

/** Replicas of one server over one store, behind a proxy that gives each request to the next one. */
export interface Replicas {
  readonly url: string;
  /** Ends one replica and starts it again. `SIGTERM`: no request is sent to it from then on, as a balancer does. */
  replace(index: number, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

/** Starts replicas, whose arguments name tools and a store, and a proxy. */
export async function startReplicas(count: number, args: readonly string[]): Promise<Replicas> {
  const retries = { RESUMABLE_MCP_RETRY: "1s", RESUMABLE_MCP_DRAIN_RETRY: "1s" };
  const start = () => startServer([...args, "--port", "0"], retries);
  const replicas: (ServerProcess | undefined)[] = await Promise.all(Array.from({ length: count }, start));
  let turn = 0;
  const next = (): ServerProcess | undefined => {
    for (let tried = 0; tried < replicas.length; tried++) {
      turn = (turn + 1) % replicas.length;
      const replica = replicas[turn];
      if (replica !== undefined) return replica;
    }
    return undefined;
  };
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing, next));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  afterwards(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async replace(index, signal) {
      const before = replicas[index];
      if (signal === "SIGTERM") {
        replicas[index] = undefined;
        await before?.stop(signal);
      } else {
        await before?.kill();
      }
      replicas[index] = await start();
    },
  };
}

/** A request that no replica has accepted is given to the next; an answer that breaks off does so for the client, too. */
async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: () => ServerProcess | undefined,
): Promise<void> {
  const { method, url: path, headers } = incoming;
  const body = await buffer(incoming);
  const send = (triesLeft: number): void => {
    const replica = next();
    if (replica === undefined || triesLeft === 0) {
      outgoing.destroy();
      return;
    }
    const sent = request({ host: "127.0.0.1", port: replica.port, method, path, headers });
    sent.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") send(triesLeft - 1);
      else outgoing.destroy();
    });
    outgoing.on("close", () => sent.destroy());
    sent.end(body);
  };
  send(10);
}
