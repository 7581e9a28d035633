import type { ClientLimits } from "../limits.js";

/** Where the connection to one server stands. Values are never changed, only replaced. */
export type ConnectionState =
  | { readonly name: "idle"; readonly known: boolean }
  | { readonly name: "connecting"; readonly known: boolean; readonly attempt: number }
  /** `attempt` counts on until a request has succeeded: a server that accepts and breaks at once is backed off from. */
  | { readonly name: "connected"; readonly known: true; readonly attempt: number }
  | {
      readonly name: "waiting";
      readonly known: boolean;
      readonly attempt: number;
      readonly nextDelayMs: number;
      readonly reason: string;
    }
  | { readonly name: "down"; readonly known: boolean; readonly reason: string }
  | { readonly name: "closed"; readonly known: boolean };

/** What happens to a connection. */
export type ConnectionEvent =
  | { readonly type: "wanted" }
  | { readonly type: "opened" }
  | { readonly type: "proved" }
  /** `jitter` is a random number from 0 to 1: many clients of a restarted server do not come back at one moment. */
  | { readonly type: "broke"; readonly reason: string; readonly jitter: number }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "elapsed" }
  | { readonly type: "closed" };

/** The limits that the transitions depend on. */
export type ReconnectLimits = Pick<
  ClientLimits,
  "firstConnectAttempts" | "reconnectAttempts" | "reconnectInitialDelayMs" | "reconnectMaxDelayMs"
>;

/** A connection that no request has needed yet. */
export const initialConnectionState: ConnectionState = { name: "idle", known: false };

/** Decides the next state; an event that means nothing in a state leaves it as it is. */
export function reduceConnection(
  state: ConnectionState,
  event: ConnectionEvent,
  limits: ReconnectLimits,
): ConnectionState {
  if (state.name === "closed") return state;
  const { known } = state;
  switch (event.type) {
    case "closed":
      return { name: "closed", known };
    case "refused":
      return { name: "down", known, reason: event.reason };
    case "wanted":
      return state.name === "idle" || state.name === "down" ? { name: "connecting", known, attempt: 1 } : state;
    case "opened":
      return state.name === "connecting" ? { name: "connected", known: true, attempt: state.attempt } : state;
    case "proved":
      return state.name === "connected" && state.attempt > 0 ? { ...state, attempt: 0 } : state;
    case "elapsed":
      return state.name === "waiting" ? { name: "connecting", known, attempt: state.attempt + 1 } : state;
    case "broke":
      if (state.name === "connected" || state.name === "connecting") return afterBreak(state, event, limits);
      return state;
  }
}

function afterBreak(
  state: Extract<ConnectionState, { name: "connected" | "connecting" }>,
  event: Extract<ConnectionEvent, { type: "broke" }>,
  limits: ReconnectLimits,
): ConnectionState {
  const { known, attempt } = state;
  const { reason } = event;
  const allowed = known ? limits.reconnectAttempts : limits.firstConnectAttempts;
  if (attempt >= allowed) return { name: "down", known, reason };
  return { name: "waiting", known, attempt, nextDelayMs: reconnectDelayMs(attempt, event.jitter, limits), reason };
}

/** Doubles the delay with every attempt up to the limit, and takes away up to half of it at random. */
export function reconnectDelayMs(attempt: number, jitter: number, limits: ReconnectLimits): number {
  const doubled = limits.reconnectInitialDelayMs * 2 ** Math.min(attempt, 30);
  return Math.round(Math.min(doubled, limits.reconnectMaxDelayMs) * (1 - jitter / 2));
}
