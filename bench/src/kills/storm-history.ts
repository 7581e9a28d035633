import type { Json, Store } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import {
  check,
  type Evidence,
  type Facts,
  type FinalTask,
  type HistoryEvent,
  type Patience,
} from "@resumable-mcp/simulation/history";

/** Notes what was seen, as the rules of the simulator read it. */
export type Note = (kind: string, facts: Facts) => void;

/** An event of now, by the machine's monotonic clock, which all its processes read. */
export function eventNow(kind: string, facts: Facts): HistoryEvent {
  return { atMs: Number(process.hrtime.bigint()) / 1e6, kind, ...facts };
}

/** A slow machine breaks no rule: a storm says which times it judges. */
export const anyTime: Patience = {
  probeMs: Number.POSITIVE_INFINITY,
  lateMs: Number.POSITIVE_INFINITY,
  faultMs: 0,
  noticeMs: Number.POSITIVE_INFINITY,
};

/** What callers, tools and the storm itself saw, to be judged by the rules of the simulator. */
export class StormHistory {
  readonly #events: HistoryEvent[] = [];

  add(kind: string, facts: Facts): void {
    this.#events.push(eventNow(kind, facts));
  }

  /** Takes what a process noted; it arrives later than it happened. */
  hear(worker: string, event: HistoryEvent): void {
    this.#events.push({ ...event, worker });
  }

  /** All events in the order of their times. */
  inOrder(): readonly HistoryEvent[] {
    return this.#events.toSorted((one, other) => one.atMs - other.atMs);
  }
}

/** Reads what a task is at the end. */
export async function finalTask(reader: Store, id: string): Promise<FinalTask | undefined> {
  const found = await reader.getTask(id);
  if (found === undefined) return undefined;
  const { record } = found;
  const [items, followed] = [await allItems(reader, id), await wholeJournal(reader, id)];
  return { owner: record.owner, record, items, followed };
}

/** What the rules find, one sentence each. */
export function problemsOf(evidence: Evidence): readonly string[] {
  return check(evidence).map(({ rule, text }) => `${rule}: ${text}`);
}

async function allItems(reader: Store, taskId: string): Promise<readonly Json[]> {
  const items: Json[] = [];
  for (;;) {
    const page = await reader.readItems(taskId, { after: items.length, limit: 1_000 });
    items.push(...page.items);
    if (page.items.length === 0 || items.length >= page.total) return items;
  }
}

async function wholeJournal(reader: Store, taskId: string): Promise<readonly Followed[]> {
  const followed: Followed[] = [];
  for (let afterSeq = 0; ; ) {
    const { snapshot, events, lastSeq } = await reader.readEvents(taskId, { afterSeq, limit: 1_000 });
    if (snapshot !== undefined) followed.push({ kind: "snapshot", record: snapshot });
    followed.push(...events.map((event) => ({ kind: "event" as const, event })));
    afterSeq = events.at(-1)?.seq ?? snapshot?.lastSeq ?? afterSeq;
    if (afterSeq >= lastSeq || (events.length === 0 && snapshot === undefined)) return followed;
  }
}
