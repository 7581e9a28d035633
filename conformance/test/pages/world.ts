import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What a service answers: a status, a body, headers. */
export interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service in the world that a recipe talks to. It can be held, so that a server is killed while it waits for it. */
export interface World {
  /** With a slash at the end. */
  readonly url: string;
  /** Resolves when a request that is held has come. */
  readonly held: Promise<void>;
  /** Lets what is held pass from now on. */
  release(): void;
  close(): Promise<void>;
}

/** Starts a service; `isHeld` says of a request whether it waits until the service is released. */
export async function openWorld(
  answer: (request: IncomingMessage) => Answer,
  isHeld: (request: IncomingMessage) => boolean,
): Promise<World> {
  const events = new EventEmitter();
  const held = once(events, "held").then(() => {});
  let isOpen = false;
  const http = createServer(async (request, response) => {
    if (!isOpen && isHeld(request)) {
      const released = once(events, "released");
      events.emit("held");
      await released;
    }
    const { status = 200, body = "", headers } = answer(request);
    if (!response.destroyed) response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    held,
    release() {
      isOpen = true;
      events.emit("released");
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
