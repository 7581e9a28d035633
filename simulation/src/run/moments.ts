import type { HistoryEvent } from "../history/history.js";

/** What was seen from outside, and what breaks right after it. */
export interface Moment {
  readonly after: string;
  readonly kind:
    | "power"
    | "full"
    | "failing_syncs"
    | "lost_syncs"
    | "unreadable"
    | "freeze"
    | "stand_still"
    | "kill"
    | "failover";
  readonly amount: number;
}

/** Right after these an answer cannot be stored. */
const fullDisks: readonly Moment[] = [
  { after: "mcp_asked", kind: "full", amount: 6_000 },
  { after: "mcp_asked", kind: "failing_syncs", amount: 6_000 },
  { after: "answers", kind: "full", amount: 2_000 },
];

/** Places in the list of moments, of those after which nothing breaks but the disk. */
export const fullDiskMoments = fullDisks.length;

/** Right after these a process carries out what was accepted. */
const acceptances: readonly Moment[] = [
  { after: "answer_accepted", kind: "power", amount: 50 },
  { after: "request_done", kind: "power", amount: 50 },
];

/** Places in the list of moments, of those after which a request or an answer may be lost: behind the full disks. */
export const acceptanceMoments = acceptances.length;

/** Right after these the disk does not have what a process took for written, or is about to write once more. */
const failedSyncs: readonly Moment[] = [
  { after: "effect lost_syncs", kind: "power", amount: 50 },
  { after: "effect lost_syncs", kind: "kill", amount: 0 },
  { after: "effect lost_syncs", kind: "kill", amount: 0 },
  { after: "effect failing_syncs", kind: "power", amount: 50 },
];

/** Places in the list of moments, of those after a sync that lost what it covers: behind the acceptances. */
export const lostSyncMoments = 3;

/** Moments at which something is lost that was just acknowledged, or cannot be written that was just asked for. */
const moments: readonly Moment[] = [
  ...fullDisks,
  ...acceptances,
  ...failedSyncs,
  { after: "called", kind: "power", amount: 50 },
  { after: "committed", kind: "power", amount: 50 },
  { after: "sees", kind: "power", amount: 50 },
  { after: "returns", kind: "power", amount: 50 },
  { after: "mcp_progress", kind: "power", amount: 12_000 },
  { after: "begins", kind: "lost_syncs", amount: 500 },
  { after: "begins", kind: "freeze", amount: 6_000 },
];

/** Right after these a standby that is behind takes over: it has not got what was just acknowledged. */
const failovers: readonly Moment[] = [
  { after: "called", kind: "failover", amount: 500 },
  { after: "committed", kind: "failover", amount: 500 },
  { after: "answer_accepted", kind: "failover", amount: 500 },
  { after: "returns", kind: "failover", amount: 3_000 },
];

/** What the fault that waits for a moment says of it. */
interface Waiting {
  /** Absent: the one in their list that has the number `amount`; there are fewer. */
  readonly moment?: Moment | undefined;
  readonly amount: number;
}

/** Faults that wait for a moment: each for one in so many of its kind. */
export class AwaitedMoments<Fault extends Waiting> {
  readonly #moments: readonly Moment[];
  readonly #waiting: { readonly moment: Moment; left: number; readonly fault: Fault }[] = [];

  constructor(isDatabase: boolean) {
    this.#moments = isDatabase ? failovers : moments;
  }

  await(fault: Fault, left: number): void {
    const moment = fault.moment ?? this.#moments[fault.amount % this.#moments.length];
    if (moment !== undefined) this.#waiting.push({ moment, left, fault });
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** @returns what is to break now. */
  note({ kind }: Pick<HistoryEvent, "kind">): (Fault & Pick<Moment, "kind" | "amount">) | undefined {
    const place = this.#waiting.findIndex(({ moment }) => moment.after === kind);
    const next = this.#waiting[place];
    if (next === undefined || --next.left > 0) return undefined;
    this.#waiting.splice(place, 1);
    const { kind: what, amount } = next.moment;
    return { ...next.fault, kind: what, amount };
  }
}
