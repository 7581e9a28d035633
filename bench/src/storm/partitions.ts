import { setTimeout as pause } from "node:timers/promises";
import { type Network, type NetworkTrouble, startNetwork } from "@resumable-mcp/store-postgres/testing";
import { createRandom, type Random } from "../kills/kill-plan.js";
import { type ClientKind, clientKinds } from "./clients/call.js";

/** How long trouble lasts, and how long there is none, in milliseconds. */
const troubleMs = [100, 4_000] as const;
const calmMs = [500, 6_000] as const;
/** Now and then a replica loses its database for longer than its lease, which is 15 s. */
const beyondLeaseMs = 17_000;

/** What happens to a network, in words. */
type Trouble = readonly [name: string, trouble: NetworkTrouble | "reset"];

const troubles: readonly [Trouble, ...Trouble[]] = [
  ["reset", "reset"],
  ["slow", { delayMs: 100 }],
  ["narrow", { bytesPerSecond: 50_000 }],
  ["cut, half-open", { hold: "both" }],
  ["deaf", { hold: "to-client" }],
  ["mute", { hold: "to-server" }],
];

/** The networks of a storm: one of each replica to its database, if it has one, and one of the clients of each kind to the replicas. */
export interface Networks {
  /** How a replica reaches the database, or how clients reach the replicas. */
  urlOf(end: ClientKind | number): string;
  /** Makes trouble until the signal aborts. @returns what there was. */
  run(seed: number, signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface NetworksOptions {
  readonly store: string;
  readonly proxy: string;
  /** Of the replicas, where a network is between them and their store. */
  readonly slots: readonly number[];
  /** Called when trouble begins, again and again until it ends, and then once more. */
  readonly onTrouble: (end: ClientKind | number) => void;
}

/** Starts networks that break in every way in which networks do, and are whole at first and at the end. */
export async function startNetworks({ store, proxy, slots, onTrouble }: NetworksOptions): Promise<Networks> {
  const ends = [...slots, ...clientKinds];
  const urlBehind = (end: ClientKind | number) => (typeof end === "number" ? store : proxy);
  const networks = new Map(
    await Promise.all(ends.map(async (end) => [end, await startNetwork(urlBehind(end))] as const)),
  );
  return {
    urlOf: (end) => networks.get(end)?.url ?? urlBehind(end),
    async run(seed, signal) {
      const troubled = [...networks].map(([end, network], index) =>
        breakAgain(
          network,
          { isReplica: typeof end === "number", onTrouble: () => onTrouble(end) },
          {
            random: createRandom(seed + index),
            signal,
          },
        ),
      );
      return (await Promise.all(troubled)).flat();
    },
    async close() {
      await Promise.all([...networks.values()].map((network) => network.close()));
    },
  };
}

async function breakAgain(
  network: Network,
  { isReplica, onTrouble }: { readonly isReplica: boolean; readonly onTrouble: () => void },
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const happened: string[] = [];
  for (;;) {
    await pause(random.between(...calmMs), undefined, { signal }).catch(() => {});
    if (signal.aborted) return happened;
    const [name, trouble] = random.pick(troubles);
    const isLong = isReplica && random.next() < 0.1;
    let leftMs = trouble === "reset" ? 0 : isLong ? beyondLeaseMs : random.between(...troubleMs);
    if (trouble === "reset") network.reset();
    else network.trouble(trouble);
    for (onTrouble(); leftMs > 0 && !signal.aborted; leftMs -= troubleMs[0]) {
      await pause(troubleMs[0]);
      onTrouble();
    }
    network.heal();
    happened.push(`${name}, between ${isReplica ? "a replica and the database" : "clients and replicas"}`);
  }
}
