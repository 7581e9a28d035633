import type { KeyPress } from "./key-press.js";

/** Moves a cursor through a list of so many entries; other keys leave it. */
export function moveCursor(cursor: number, key: KeyPress, count: number, pageSize = 10): number {
  const last = Math.max(0, count - 1);
  const now = Math.min(cursor, last);
  switch (key.name) {
    case "up":
      return Math.max(0, now - 1);
    case "down":
      return Math.min(last, now + 1);
    case "home":
      return 0;
    case "end":
      return last;
    case "pageUp":
      return Math.max(0, now - pageSize);
    case "pageDown":
      return Math.min(last, now + pageSize);
    default:
      return now;
  }
}

/** The index of a cursor that follows its entry while the list is reordered; without the entry, it keeps its place. */
export function keptCursor(
  { cursor, at }: { readonly cursor: number; readonly at?: string | undefined },
  ids: readonly string[],
): number {
  const index = at === undefined ? -1 : ids.indexOf(at);
  return index >= 0 ? index : Math.max(0, Math.min(cursor, ids.length - 1));
}

/** The part of a list that is shown: the cursor is always in it. */
export function visibleRange(
  cursor: number,
  count: number,
  rows: number,
): { readonly from: number; readonly to: number } {
  const size = Math.max(1, rows);
  const from = Math.max(0, Math.min(cursor - Math.floor(size / 2), count - size));
  return { from, to: Math.min(count, from + size) };
}

/** The mark before an entry: the cursor, or an arrow where the list continues above the first or below the last one shown. */
export function leadMark(
  index: number,
  cursor: number,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): string {
  if (index === cursor) return "▸";
  if (index === from && from > 0) return "↑";
  return index === to - 1 && to < count ? "↓" : " ";
}
