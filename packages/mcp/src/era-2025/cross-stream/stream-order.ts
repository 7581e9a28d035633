import { z } from "zod";
import type { Cursor } from "../session/event-id.js";

const mark = z.object({
  stream: z.string(),
  /** Places of the events that were sent in a row on this stream. */
  from: z.number(),
  to: z.number(),
  /** The response to the stream's request was among them. */
  ended: z.literal(true).optional(),
});

/** Events of one stream that were sent with none of another stream in between. */
export type Mark = z.output<typeof mark>;
/** In which order the streams of a session sent their events, oldest first. */
export const streamOrder = z.object({ marks: z.array(mark) });

/** Adds an event; beyond `maxMarks` the oldest marks go. Pure. */
export function withEvent(
  marks: readonly Mark[],
  { stream, place }: Cursor,
  ended: boolean,
  maxMarks: number,
): readonly Mark[] {
  const last = marks.at(-1);
  const joins = last?.stream === stream && place >= last.from;
  const isEnded = ended || (joins && last.ended === true);
  const range = joins ? { from: last.from, to: Math.max(last.to, place) } : { from: place, to: place };
  const added = { stream, ...range, ...(isEnded ? { ended: true as const } : {}) };
  return [...(joins ? marks.slice(0, -1) : marks), added].slice(-maxMarks);
}

/**
 * What was sent up to an event. An event that was sent too long ago is not found: then nothing counts as sent, so that
 * its client gets some events twice rather than none. Pure.
 */
export function sentUpTo(marks: readonly Mark[], { stream, place }: Cursor): readonly Mark[] {
  const index = marks.findLastIndex((one) => one.stream === stream && one.from <= place && place <= one.to);
  const found = marks[index];
  if (found === undefined) return marks.some((one) => one.stream === stream && one.to < place) ? marks : [];
  const { ended, ...rest } = found;
  const isEnd = ended === true && place === found.to;
  return [...marks.slice(0, index), { ...rest, to: place, ...(isEnd ? { ended } : {}) }];
}

/** The places behind which streams have more than was sent: all streams but those that have ended. Pure. */
export function openCursors(marks: readonly Mark[], sent: readonly Mark[]): readonly Cursor[] {
  const streams = [...new Set(marks.map(({ stream }) => stream))];
  return streams.flatMap((stream) => {
    const own = sent.filter((one) => one.stream === stream);
    if (own.some(({ ended }) => ended === true)) return [];
    return [{ stream, place: Math.max(0, ...own.map(({ to }) => to)) }];
  });
}
