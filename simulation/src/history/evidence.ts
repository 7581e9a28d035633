import type { Json, TaskRecord } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import type { HistoryEvent } from "./history.js";

/** A task as it is at the end of a run. */
export interface FinalTask {
  readonly owner: string;
  readonly record: TaskRecord;
  readonly items: readonly Json[];
  readonly followed: readonly Followed[];
}

/** A guarantee that did not hold. */
export interface Violation {
  /** The guarantee, as `docs/guarantees.md` numbers it, or `liveness`, `fairness`, `determinism`. */
  readonly rule: string;
  readonly text: string;
}

/** A call as it was planned. */
export interface PlannedFacts {
  readonly name: string;
  readonly owner: string;
  readonly via: string;
  readonly tool?: string;
  readonly input: Json;
  readonly callId: string | undefined;
  /** What a completed task of it has, where the input alone decides that. */
  readonly expects?: { readonly output: Json; readonly items: number };
  /** It asked for another run of its own. */
  readonly newTask?: boolean | string | undefined;
}

/** How exact the times of a history are, and how long what works may take; milliseconds. */
export interface Patience {
  /** A short call of another owner, while slots are free and nothing is broken. */
  readonly probeMs: number;
  /** A sleep in a process that lives on, beyond its time. */
  readonly lateMs: number;
  /** So long after it began a fault is over. */
  readonly faultMs: number;
  /** From the end of a task until every caller that was answered before has noted its answer. */
  readonly noticeMs: number;
  /**
   * How long after the last fault a task may be silent beyond what its journal and the limits say it waits for. Absent:
   * not judged.
   */
  readonly silenceMs?: number;
}

/** Of virtual time. */
export const virtualPatience: Patience = {
  probeMs: 5_000,
  lateMs: 3_000,
  faultMs: 13_000,
  noticeMs: 100,
  silenceMs: 20_000,
};

/** What was seen of a run, simulated or of real processes. All times are by one clock, and the events are in its order. */
export interface Evidence {
  readonly plan: {
    readonly limits: { readonly [name: string]: number };
    /** Of the store; absent: as it is by default. */
    readonly storeLimits?: { readonly [name: string]: number };
    /** How the tool is declared, where it is not as by default. */
    readonly tool?: {
      readonly onVersionChange?: "resume" | "restart" | "fail";
      readonly onFailure?: "continue" | "restart";
      readonly stallTimeout?: number;
      readonly maxRunning?: number;
      readonly maxRunningInStore?: number;
      readonly rate?: { readonly limit: number; readonly per: number };
    };
    readonly calls: readonly PlannedFacts[];
  };
  readonly patience: Patience;
  readonly events: readonly HistoryEvent[];
  readonly tasks: readonly FinalTask[];
}

/** The events of a kind. */
export function eventsOf(events: readonly HistoryEvent[], kind: string): readonly HistoryEvent[] {
  return events.filter((event) => event.kind === kind);
}

/** Two calls that mean the same to their owner. */
export function isSameCall(one: PlannedFacts, other: PlannedFacts): boolean {
  return one.owner === other.owner && JSON.stringify(one.input) === JSON.stringify(other.input);
}
