import type { Random } from "./random.js";

/** What a network does for a while. */
export const networkFaults = ["spikes", "losses", "slow_readers", "repeats"] as const;

export type NetworkFault = (typeof networkFaults)[number];

/** Tells faults of the network from those of machines and processes. */
export function isNetworkFault(kind: string): kind is NetworkFault {
  return (networkFaults as readonly string[]).includes(kind);
}

/** What happens to one connection. Drawn when it is opened. */
export interface Fate {
  /** The request does not arrive. */
  readonly losesRequest: boolean;
  /** It breaks when so many of the answer's units (characters, or messages) have passed. */
  readonly breaksAfter: number;
  /** Neither side notices the break: each ends by its own limits. */
  readonly isSilent: boolean;
  /** How long the reader waits before it takes the next piece, in milliseconds; 0: it takes what is there. */
  readonly readPauseMs: number;
  /** A proxy sends the request once more when the connection broke before the answer began. */
  readonly isRepeated: boolean;
}

/** Something that a loss in the network can end. */
export interface Breakable {
  /** Ends it; where the break is silent, no side notices. */
  breakDown(isSilent: boolean): void;
}

/** After this time the side of the server ends a connection whose other end is silent. */
export const idleLimitMs = 30_000;

/** The network between callers and workers. Faults last until a moment; nothing breaks by default. */
export class Network {
  readonly #nowMs: () => number;
  readonly #untilMs = new Map<NetworkFault, number>();
  readonly #open = new Set<Breakable>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Begins a fault. Losses also end some of the connections that are open. */
  strike(fault: NetworkFault, forMs: number, random: Random): void {
    this.#untilMs.set(fault, this.#nowMs() + forMs);
    if (fault !== "losses") return;
    for (const connection of [...this.#open]) if (random.percent(50)) connection.breakDown(random.percent(40));
  }

  /** Ends all faults. What broke silently stays broken. */
  calm(): void {
    this.#untilMs.clear();
  }

  /** How long one message takes, in milliseconds. */
  delayMs(random: Random): number {
    return this.#has("spikes") && random.percent(30) ? random.between(5, 2_500) : random.between(0.2, 5);
  }

  /** What happens to a connection that is opened now. `lengths`: how much of an answer may pass before a break. */
  drawFate(random: Random, lengths: readonly number[]): Fate {
    const breaks = this.#has("losses") && random.percent(50);
    return {
      losesRequest: breaks && random.percent(25),
      breaksAfter: breaks ? Math.floor(random.next() * random.pick(lengths)) : Number.POSITIVE_INFINITY,
      isSilent: breaks && random.percent(40),
      readPauseMs: this.#has("slow_readers") ? random.pick([0, 300, 4_000, 20_000]) : 0,
      isRepeated: this.#has("repeats"),
    };
  }

  /** A connection is open from now until the returned function is called. */
  add(connection: Breakable): () => void {
    this.#open.add(connection);
    return () => this.#open.delete(connection);
  }

  #has(fault: NetworkFault): boolean {
    return (this.#untilMs.get(fault) ?? 0) > this.#nowMs();
  }
}
