import { limits } from "../limits.js";

/**
 * Hosts that are known to give up on a call, by the name in their `clientInfo`, with the limit in milliseconds.
 * A host is listed here only when its limit was measured.
 */
export const hostLimitsMs: { readonly [host: string]: number } = {
  "claude-ai": 60_000,
};

/**
 * Decides after how many milliseconds a call is answered although its task continues; `undefined`: never.
 *
 * What the call asks for wins, then the server's option, then the table of hosts: a server cannot know who may wait.
 */
export function decideHandoff(request: {
  /** From the call's `_meta`. */
  readonly asked: boolean | number | undefined;
  /** The server's option. */
  readonly option: boolean | undefined;
  readonly host: string | undefined;
  readonly toolMs: number | undefined;
}): number | undefined {
  const usualMs = request.toolMs ?? limits.defaultHandoffAfterMs;
  if (typeof request.asked === "number") return request.asked;
  const limitMs =
    request.host !== undefined && Object.hasOwn(hostLimitsMs, request.host) ? hostLimitsMs[request.host] : undefined;
  const wanted = request.asked ?? request.option ?? limitMs !== undefined;
  if (!wanted) return undefined;
  return limitMs === undefined ? usualMs : Math.min(usualMs, limitMs * 0.75);
}
