import type { HistoryEvent } from "../history/history.js";
import type { Fault } from "./draw-fault.js";

/** What was seen from outside, and what breaks right after it. */
interface Moment {
  readonly after: string;
  readonly kind: Fault["kind"];
  readonly amount: number;
}

/** Moments at which something is lost that was just acknowledged, or cannot be written that was just asked for. */
export const moments: readonly Moment[] = [
  { after: "called", kind: "power", amount: 50 },
  { after: "committed", kind: "power", amount: 50 },
  { after: "answer_accepted", kind: "power", amount: 50 },
  { after: "request_done", kind: "power", amount: 50 },
  { after: "sees", kind: "power", amount: 50 },
  { after: "returns", kind: "power", amount: 50 },
  { after: "mcp_progress", kind: "power", amount: 12_000 },
  { after: "answers", kind: "full", amount: 2_000 },
  { after: "mcp_asked", kind: "full", amount: 6_000 },
  { after: "mcp_asked", kind: "failing_syncs", amount: 6_000 },
  { after: "begins", kind: "lost_syncs", amount: 500 },
  { after: "begins", kind: "freeze", amount: 6_000 },
];

/** Faults that wait for a moment: each for one in so many of its kind. */
export class AwaitedMoments {
  readonly #waiting: { readonly moment: Moment; left: number; readonly fault: Fault }[] = [];

  await(fault: Fault, left: number): void {
    const moment = moments[fault.amount % moments.length];
    if (moment !== undefined) this.#waiting.push({ moment, left, fault });
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** @returns what is to break now. */
  note({ kind }: HistoryEvent): Fault | undefined {
    const place = this.#waiting.findIndex(({ moment }) => moment.after === kind);
    const next = this.#waiting[place];
    if (next === undefined || --next.left > 0) return undefined;
    this.#waiting.splice(place, 1);
    return { ...next.fault, kind: next.moment.kind, amount: next.moment.amount };
  }
}
