import type { Signal } from "../store/store.js";

type Kind = Signal["kind"];

const opposites: { readonly [Name in Kind]?: Kind } = {
  pause: "resume",
  resume: "pause",
  delivered: "undelivered",
  undelivered: "delivered",
};

/**
 * The other side of a signal that is one value with it: of the two only the newest counts, and it replaces the older.
 * `undefined` for a signal without another side. Used by every store.
 */
export function oppositeOf(kind: Kind): Kind | undefined {
  return opposites[kind];
}
