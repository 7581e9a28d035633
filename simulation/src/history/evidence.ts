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
  readonly input: Json;
  readonly callId: string | undefined;
}

/** What the checkers read. */
export interface Evidence {
  readonly plan: {
    readonly mode: "chaos" | "poison" | "waiting";
    readonly durability: "machine" | "process";
    readonly limits: { readonly [name: string]: number };
    readonly calls: readonly PlannedFacts[];
  };
  readonly events: readonly HistoryEvent[];
  readonly tasks: readonly FinalTask[];
}

/** The events of a kind. */
export function eventsOf(events: readonly HistoryEvent[], kind: string): readonly HistoryEvent[] {
  return events.filter((event) => event.kind === kind);
}
