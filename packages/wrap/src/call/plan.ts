import type { JsonObject } from "@resumable-mcp/core";
import { wrapLimits } from "../limits.js";

/** Where a call stands between two requests. Source: MCP 2026-07-28, Multi Round-Trip Requests. */
export interface RoundTrip {
  /** Which one it is, from 1. */
  readonly count: number;
  readonly requestState?: string;
  /** What the next request has to answer. */
  readonly inputRequests?: JsonObject;
}

/** What a call keeps for the case that this process, or the server, dies. */
export interface CallState {
  /** The server was not there: the call has not been made. */
  readonly waits?: boolean;
  /** Its server was spoken to in this era, and will be. Default 2026, where it can. */
  readonly era?: "2025";
  /** What the server said last to continue from. */
  readonly checkpoint?: string;
  /** What the server asked for in place of a result. A checkpoint that was sent before that is not kept. */
  readonly round?: RoundTrip;
  /** The server made a task of its own of the call. Source: MCP 2025-11-25, Tasks; SEP-2663. */
  readonly task?: string;
  /** The call may be made again: when it was made first (ISO 8601), and of which server and annotations that was said. */
  readonly repeatable?: { readonly since: string; readonly of: string };
}

/** What decides whether a call may be made again. */
export interface RepeatFacts {
  readonly state: CallState;
  /** What {@link CallState.repeatable} has to name now. */
  readonly of: string;
  /** Its user allows that it is made again from the beginning. */
  readonly mayRepeat: boolean;
  readonly nowMs: number;
  /** Servers that were lost one after the other, without a checkpoint in between. */
  readonly losses: number;
}

/** What becomes of a call whose answer was lost. */
export type NextCall =
  /** It was never made. */
  | { readonly kind: "begin" }
  /** The server works on it by itself: nothing is made again. */
  | { readonly kind: "await"; readonly task: string }
  | {
      readonly kind: "continue";
      readonly checkpoint?: string | undefined;
      readonly round?: RoundTrip | undefined;
    }
  /** From the beginning: its server says that this does no harm, and its user trusts that. */
  | { readonly kind: "repeat" }
  | { readonly kind: "unknown"; readonly why: string };

export const serverLost = "The server was lost while it carried out the call";

/** Decides what becomes of a call whose answer was lost. Pure. */
export function planCall({ state, of, mayRepeat, nowMs, losses }: RepeatFacts): NextCall {
  const { waits, task, checkpoint, round, repeatable } = state;
  if (waits === true) return { kind: "begin" };
  const unknown = (why: string): NextCall => ({ kind: "unknown", why });
  if (losses >= wrapLimits.maxLosses)
    return unknown(`The server was lost ${losses} times in a row while it carried out the call`);
  if (task !== undefined) return { kind: "await", task };
  if (checkpoint !== undefined || round !== undefined) return { kind: "continue", checkpoint, round };
  if (repeatable === undefined || !mayRepeat) return unknown(serverLost);
  if (repeatable.of !== of) return unknown(`${serverLost}, and is another version now`);
  if (nowMs - Date.parse(repeatable.since) > wrapLimits.repeatWithinMs)
    return unknown(`${serverLost}, which was made too long ago`);
  return { kind: "repeat" };
}

/** What the user of a server allows. */
export interface RepeatRules {
  /** What the server says of its tools is true. */
  readonly trustAnnotations: boolean;
  /** By tool, whatever it says. */
  readonly repeat: Readonly<Record<string, "always" | "never">>;
}

/** Whether a call of a tool may be made again from the beginning. Pure. Source: MCP, Tools, "Tool annotations". */
export function mayRepeat({ name, annotations }: JsonObject, { trustAnnotations, repeat }: RepeatRules): boolean {
  const rule = Object.hasOwn(repeat, String(name)) ? repeat[String(name)] : undefined;
  if (rule !== undefined) return rule === "always";
  const { readOnlyHint, idempotentHint }: JsonObject = Object(annotations);
  return trustAnnotations && (readOnlyHint === true || idempotentHint === true);
}
