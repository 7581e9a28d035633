import type { KeyPress } from "./key-press.js";

/** How far each key moves, in lines. */
const moves: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageUp: -10,
  pageDown: 10,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

/** Moves a cursor through a list of so many entries; other keys leave it. */
export function moveCursor(cursor: number, key: KeyPress, count: number): number {
  const last = Math.max(0, count - 1);
  if (key.index !== undefined) return Math.max(0, Math.min(last, key.index));
  const by = meaning(moves, key.name ?? key.text) ?? 0;
  return Math.max(0, Math.min(last, Math.min(cursor, last) + by));
}

/** Whether a key leaves a screen on which nothing is typed. */
export function isLeaving({ name, text }: KeyPress): boolean {
  return name === "escape" || text === "q";
}

/** Where a cursor stands in a list. */
export interface Cursor {
  readonly cursor: number;
  /** The entry at the cursor, to which it keeps while the list changes. */
  readonly at?: string;
}

/** The index of a cursor that follows its entry while the list is reordered; without the entry, it keeps its place. */
export function keptCursor({ cursor, at }: Cursor, ids: readonly string[]): number {
  const index = at === undefined ? -1 : ids.indexOf(at);
  return index >= 0 ? index : Math.max(0, Math.min(cursor, ids.length - 1));
}

/** A part of a list: from the first entry to before the second. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The part of a list that is shown: the cursor is always in it. */
export function visibleRange(cursor: number, count: number, rows: number): Range {
  const size = Math.max(1, rows);
  const from = Math.max(0, Math.min(cursor - Math.floor(size / 2), count - size));
  return { from, to: Math.min(count, from + size) };
}

/** The mark before an entry: the cursor, or an arrow where the list continues above the first or below the last one shown. */
export function leadMark(index: number, cursor: number, { from, to }: Range, count: number): string {
  if (index === cursor) return "▸";
  if (index === from && from > 0) return "↑";
  return index === to - 1 && to < count ? "↓" : " ";
}

/** What a typed text means in a table of keys. */
export function meaning<Verb>(table: Readonly<Record<string, Verb>>, text: string): Verb | undefined {
  return Object.hasOwn(table, text) ? table[text] : undefined;
}

/** The text after a key: Backspace takes back one whole character, and a paste is only text. */
export function withTyped(text: string, key: KeyPress): string {
  return key.name === "backspace" ? [...text].slice(0, -1).join("") : text + (key.paste ?? key.text);
}

/** The value behind another in a list that begins again at its end; `by` is negative for those before it. */
export function nextValue<Value>(values: readonly Value[], value: Value, by = 1): Value {
  return values[(values.indexOf(value) + by + values.length) % values.length] ?? value;
}

/** The set with a value taken out, or put in where it was not. */
export function toggled<Value>(values: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const next = new Set(values);
  if (!next.delete(value)) next.add(value);
  return next;
}
