import { tellUpdates } from "../../control/upstream.js";
import type { Upstream } from "../../define-server.js";
import { limits2026 } from "../../limits.js";

/** The resources of another server that a subscription names. */
export interface PassedResources {
  /** Those that it does not tell of. */
  readonly refused: readonly string[];
  /** Tells of what has changed since it was subscribed to, and of what changes from now on. */
  begin(tell: (uri: string) => Promise<void>): void;
  end(): void;
}

/**
 * Subscribes at another server to resources that are not tasks.
 *
 * Limits: `subscribeMs`. @param owner absent where the caller cannot be identified, who hears of nothing.
 */
export async function passResources(
  upstream: Upstream,
  owner: string | undefined,
  uris: readonly string[],
): Promise<PassedResources> {
  const changed = new Set<string>();
  let hear = (_uri: string, subscribed: string): void => void changed.add(subscribed);
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const signal = AbortSignal.timeout(limits2026.subscribeMs);
  const subscribe = async (uri: string): Promise<void> => {
    const updated = (found: string) => hear(found, uri);
    const subscribed = owner !== undefined && (await upstream.subscribe({ owner, era: "2026", uri, signal, updated }));
    if (subscribed !== false && "end" in subscribed) ends.push(subscribed.end);
    else refused.push(uri);
  };
  await Promise.all(uris.map(subscribe));
  return {
    refused,
    begin(tell) {
      const tellers = new Map(uris.map((uri) => [uri, tellUpdates(uri, tell)]));
      hear = (uri, subscribed) => tellers.get(subscribed)?.(uri);
      for (const uri of changed) hear(uri, uri);
    },
    end() {
      for (const end of ends.splice(0)) end();
    },
  };
}
