import { z } from "zod";
import type { TextSource } from "../../http/http-answer.js";
import type { Cursor } from "../session/event-id.js";
import type { DocumentKind } from "../session/kept-document.js";
import { streamOrderKind } from "../session/session-document.js";

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
const streamOrder = z.object({ marks: z.array(mark) });
/** In which order the streams of a session sent their events, oldest first. */
export type StreamOrder = { readonly marks: readonly Mark[] };

/** The documents that hold it. A damaged one counts as empty: a client may get some events twice. */
export const orders: DocumentKind<StreamOrder> = {
  kind: streamOrderKind,
  read: (value) => streamOrder.safeParse(value).data ?? { marks: [] },
};

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

/** Several sources as one, which ends with the last of those that it waits for, when nothing of the others is left to take. */
export function mergedSource(sources: readonly TextSource[], awaited: readonly TextSource[] = sources): TextSource {
  let isOver = false;
  const cancel = (): void => {
    for (const source of sources) source.cancel();
  };
  return {
    get ended() {
      return isOver || sources.every(({ ended }) => ended);
    },
    take(maxBytes) {
      for (const source of sources) {
        const taken = source.take(maxBytes);
        if (taken.text.length > 0) return taken;
      }
      isOver = awaited.every(({ ended }) => ended);
      if (isOver) cancel();
      return { text: "" };
    },
    follow(onMore) {
      for (const source of sources) source.follow(onMore);
    },
    cancel,
  };
}

/** A source whose events are seen as they are taken. */
export function watchedSource(source: TextSource, onEvent: (event: string) => void): TextSource {
  return {
    get ended() {
      return source.ended;
    },
    take(maxBytes) {
      const taken = source.take(maxBytes);
      // A stream writes whole events, and gives whole pieces of what was written.
      for (const event of String(taken.text).split("\n\n")) if (event !== "") onEvent(event);
      return taken;
    },
    follow: (onMore) => source.follow(onMore),
    cancel: () => source.cancel(),
  };
}
