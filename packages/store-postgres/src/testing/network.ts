import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What a network does to what passes. Without anything it passes all. */
export interface NetworkTrouble {
  /** How long each piece is under way, in each direction. */
  readonly delayMs?: number;
  /** In each direction of each connection. */
  readonly bytesPerSecond?: number;
  /**
   * Nothing arrives in this direction, also no end of a connection, until the trouble is over: then all of it does, as TCP sends
   * again what was lost. Connections are accepted meanwhile, and are half-open: what they send arrives nowhere.
   */
  readonly hold?: "to-server" | "to-client" | "both";
}

/** A network between clients and one server, which a test makes worse and better. */
export interface Network {
  /** The server's URL by this network. */
  readonly url: string;
  /** Open connections of clients. */
  readonly connections: number;
  /** Pieces that are held back now. */
  readonly held: number;
  trouble(trouble: NetworkTrouble): void;
  /** Ends all trouble. */
  heal(): void;
  /** Resets all connections, as a router does that lost its state. */
  reset(): void;
  /** Lets new connections lead to another server, as a fail-over does. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

type Direction = "to-server" | "to-client";

/** Starts a TCP proxy on a free port of this machine. */
export async function startNetwork(url: string): Promise<Network> {
  const network = new TcpNetwork(url);
  await network.listen();
  return network;
}

class TcpNetwork implements Network {
  #target: URL;
  #trouble: NetworkTrouble = {};
  #held = 0;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  /** Resolves with the next change. */
  #change = pendingChange();
  readonly #server = createServer((near) => this.#join(near));

  constructor(url: string) {
    this.#target = new URL(url);
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
  }

  get url(): string {
    return Object.assign(new URL(this.#target), { hostname: "127.0.0.1", port: String(this.#port) }).href;
  }

  get connections(): number {
    return this.#sockets.size / 2;
  }

  get held(): number {
    return this.#held;
  }

  trouble(trouble: NetworkTrouble): void {
    this.#trouble = trouble;
    this.#change.resolve();
    this.#change = pendingChange();
  }

  heal(): void {
    this.trouble({});
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.heal();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(near: Socket): void {
    const far = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    }
    void this.#carry(near, far, "to-server");
    void this.#carry(far, near, "to-client");
  }

  async #carry(from: Socket, to: Socket, direction: Direction): Promise<void> {
    let isBroken = false;
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        await this.#passage(direction, piece.length);
        to.write(piece);
      }
    } catch {
      isBroken = true;
    }
    await this.#passage(direction, 0);
    if (isBroken) to.destroy();
    else to.end();
  }

  async #passage(direction: Direction, bytes: number): Promise<void> {
    const { delayMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY } = this.#trouble;
    const takesMs = delayMs + (1000 * bytes) / bytesPerSecond;
    if (takesMs > 0) await Promise.race([pause(takesMs), this.#change.promise]);
    this.#held += 1;
    while (this.#trouble.hold === direction || this.#trouble.hold === "both") await this.#change.promise;
    this.#held -= 1;
  }
}

function pendingChange(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((resolver) => {
    resolve = resolver;
  });
  return { promise, resolve };
}
