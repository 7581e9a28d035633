import type { Facts } from "@resumable-mcp/simulation/history";
import { createRandom, type Random } from "../../kills/kill-plan.js";
import type { Job } from "../job.js";

/** The kinds of clients, one process each. */
export const clientKinds = ["toolkit", "control", "host", "calls-2026"] as const;
export type ClientKind = (typeof clientKinds)[number];

/** A call that an earlier process has made. */
export interface OpenCall {
  readonly name: string;
  /** Its task, if that process knew it. */
  readonly task?: string;
}

/** The order for a process of clients. */
export interface ClientOrder {
  readonly kind: ClientKind;
  readonly url: string;
  readonly clientId: string;
  /** Its own, which stays when it dies. */
  readonly folder: string;
  readonly seed: number;
  /** The calls that it makes one after another, each of a place of its own. */
  readonly places: readonly { readonly next: number; readonly open?: OpenCall }[];
}

/** One call, until its result is there, whatever dies meanwhile. */
export interface ClientCall extends Omit<OpenCall, "name"> {
  readonly job: Job;
  readonly random: Random;
  /** Notes what its client does and receives. */
  readonly note: (kind: string, facts?: Facts) => void;
}

/** Makes calls. */
export type MakeCall = (call: ClientCall) => Promise<void>;

/** Random choices of one call in one process. */
export function randomOf({ seed }: ClientOrder, name: string): Random {
  let mixed = seed + process.pid;
  for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x9e3779b1);
  return createRandom(mixed);
}

/**
 * A store that is away, a server that is about to stop, a task, or one that it called, that lost its processes three times: another try
 * overcomes each.
 */
export function isPassing(code: string | undefined): boolean {
  return /^(CHILD_FAILED|CRASH_LOOP|DRAINING|STORE_(READ|WRITE)_FAILED)$/.test(code ?? "");
}
