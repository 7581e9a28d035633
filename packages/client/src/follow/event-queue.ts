import type { ClientEvent } from "../client-event.js";

/** The events that one reader has not taken yet, and how many log messages it will never see. */
export interface EventQueue {
  readonly events: readonly ClientEvent[];
  readonly dropped: number;
}

/** A queue of a reader that is up to date. */
export const emptyEventQueue: EventQueue = { events: [], dropped: 0 };

/**
 * Adds an event and keeps the queue within its limit.
 *
 * Limits: beyond `maxQueued` the oldest progress goes first, since a later one replaces it, then the oldest log
 * message, which is counted. Questions, statuses and the rest are few and always kept.
 */
export function enqueue(queue: EventQueue, event: ClientEvent, maxQueued: number): EventQueue {
  const events = [...queue.events, event];
  if (events.length <= maxQueued) return { ...queue, events };
  const progress = events.findIndex(({ type }) => type === "progress");
  const superseded = progress >= 0 && progress < events.length - 1;
  const index = superseded ? progress : events.findIndex(({ type }) => type === "log");
  if (index < 0) return { ...queue, events };
  return { events: events.toSpliced(index, 1), dropped: queue.dropped + (superseded ? 0 : 1) };
}

/** Takes everything out; what was left out is told first. */
export function drain(queue: EventQueue): readonly ClientEvent[] {
  if (queue.dropped === 0) return queue.events;
  return [{ type: "dropped", count: queue.dropped }, ...queue.events];
}
