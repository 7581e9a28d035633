import { rpcCodes } from "@resumable-mcp/protocol";
import type { RpcErrorBody } from "../../call/rpc-error.js";
import type { limits2026 } from "../../limits.js";

type LimitName = Extract<keyof typeof limits2026, `maxSubscriptions${string}`>;
/** How many subscriptions may be open. */
export type SubscriptionCountLimits = { readonly [Name in LimitName]: number };

/** A place that was taken, or why there is none. */
export type Place = { readonly leave: () => void } | { readonly refused: RpcErrorBody };

/**
 * Counts open subscriptions, all and by owner. A place is taken in one step, before anything is waited for: requests
 * that come at once cannot all see the last free one.
 */
export function countSubscriptions(limits: SubscriptionCountLimits): (owner: string) => Place {
  const byOwner = new Map<string, number>();
  let all = 0;
  const add = (owner: string, count: number): void => {
    all += count;
    const mine = (byOwner.get(owner) ?? 0) + count;
    if (mine > 0) byOwner.set(owner, mine);
    else byOwner.delete(owner);
  };
  return (owner) => {
    const { maxSubscriptions, maxSubscriptionsPerOwner } = limits;
    if ((byOwner.get(owner) ?? 0) >= maxSubscriptionsPerOwner)
      return { refused: limitReached("maxSubscriptionsPerOwner", maxSubscriptionsPerOwner) };
    if (all >= maxSubscriptions) return { refused: limitReached("maxSubscriptions", maxSubscriptions) };
    add(owner, 1);
    let here = true;
    return {
      leave() {
        if (here) add(owner, -1);
        here = false;
      },
    };
  };
}

/** The answer to a subscription too many. */
export function limitReached(limit: LimitName, value: number): RpcErrorBody {
  return {
    code: rpcCodes.internalError,
    message: `Subscription limit reached: ${limit} = ${value}. End another one first.`,
  };
}
