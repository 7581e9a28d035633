import type { Json } from "@resumable-mcp/core";
import { deepFreeze } from "@resumable-mcp/core/internal";
import type { Instant, TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";

/** The events of one commit, as they are and as they are stored. */
export interface EncodedEvents {
  /** As every reader gets them: what JSON makes of those that were given. */
  readonly events: readonly TaskEvent[];
  /** JSON: the events, each with the number of its items in their place. */
  readonly body: string;
  /** JSON: all items of the events; `null` where there are none. */
  readonly items: string | null;
  readonly itemCount: number;
  readonly bytes: number;
}

/** Gives events their place and time; what an event says of these itself does not count. */
export function encodeEvents(bodies: readonly TaskEventBody[], afterSeq: number, now: Instant): EncodedEvents {
  const at = new Date(now.wallMs).toISOString();
  return encodeStored(bodies.map((body, index) => ({ ...body, seq: afterSeq + 1 + index, at })));
}

/** The same for events that have their place and time. */
export function encodeStored(given: readonly TaskEvent[]): EncodedEvents {
  const whole = JSON.stringify(given);
  const events: readonly TaskEvent[] = deepFreeze(JSON.parse(whole));
  const items = events.flatMap(itemsOf);
  return {
    events,
    body: items.length === 0 ? whole : JSON.stringify(events.map(withCount)),
    items: items.length === 0 ? null : JSON.stringify(items),
    itemCount: items.length,
    bytes: Buffer.byteLength(whole),
  };
}

function itemsOf(event: TaskEvent): readonly Json[] {
  return event.type === "checkpoint" ? (event.items ?? []) : [];
}

function withCount(event: TaskEvent): unknown {
  return event.type === "checkpoint" && event.items ? { ...event, items: event.items.length } : event;
}

/**
 * Reads the events of one commit.
 *
 * @param items those of the commit; where `undefined`, each of them is `null`: a fold only counts them.
 */
export function decodeEvents(body: string, items: string | null | undefined): readonly TaskEvent[] {
  const stored: readonly (TaskEvent & { readonly items?: unknown })[] = JSON.parse(body);
  const rest: Json[] = items ? JSON.parse(items) : [];
  return stored.map((event) => {
    if (event.type !== "checkpoint" || typeof event.items !== "number") return event;
    return { ...event, items: items === undefined ? new Array(event.items).fill(null) : rest.splice(0, event.items) };
  });
}
