import type { TaskEvent } from "@resumable-mcp/core";

/** The newest events of a journal, as many as the limits allow, for those who follow it live. */
export class EventTail {
  private readonly commits: { readonly events: readonly TaskEvent[]; readonly bytes: number }[] = [];
  private events = 0;
  private size = 0;
  private readonly limits: { readonly maxTailEvents: number; readonly maxTailBytes: number };

  constructor(limits: { readonly maxTailEvents: number; readonly maxTailBytes: number }) {
    this.limits = limits;
  }

  /** How many bytes of journal it stands for. */
  get bytes(): number {
    return this.size;
  }

  add(events: readonly TaskEvent[], bytes: number): void {
    this.commits.push({ events, bytes });
    this.events += events.length;
    this.size += bytes;
    while (this.events > this.limits.maxTailEvents || this.size > this.limits.maxTailBytes) {
      const oldest = this.commits.shift();
      if (oldest === undefined) return;
      this.events -= oldest.events.length;
      this.size -= oldest.bytes;
    }
  }

  /** The events behind a cursor up to a seq, or `undefined` when it does not reach back so far. */
  between(afterSeq: number, lastSeq: number, limit: number): readonly TaskEvent[] | undefined {
    const first = this.commits[0]?.events[0]?.seq;
    if (first === undefined || first > afterSeq + 1) return undefined;
    const found: TaskEvent[] = [];
    for (const { events } of this.commits) {
      for (const event of events) {
        if (event.seq > lastSeq || found.length >= limit) return found;
        if (event.seq > afterSeq) found.push(event);
      }
    }
    return found;
  }
}
