import { useMemo, useRef } from "react";
import type { KeyPress } from "./key-press.js";

/** A list as it was last drawn. */
export interface DrawnList {
  readonly cursor: number;
  /** The entry on a row of the screen's part below the title; `undefined` where there is none. */
  readonly indexAt: (row: number) => number | undefined;
}

/** Rows above what a screen draws: the title of the program. */
export const titleRows = 1;

/** A click as the key that means the same: on the entry at the cursor Enter, on another the way there. */
export function clickedKey(key: KeyPress, { cursor, indexAt }: DrawnList): KeyPress {
  if (key.click === undefined) return key;
  const index = indexAt(key.click.row - titleRows);
  if (index === undefined) return { text: "" };
  return index === cursor ? { text: "", name: "enter" } : { text: "", index };
}

/** The entries of a list of which a range is drawn, below so many rows. */
export function rowsOfList(top: number, { from, to }: { readonly from: number; readonly to: number }) {
  return (row: number) => (row < top || row >= top + to - from ? undefined : from + row - top);
}

/** Translates clicks on a list; `drawn` takes how it was last drawn. */
export function useClicks() {
  const list = useRef<DrawnList>(undefined);
  return useMemo(
    () => ({
      translate: (key: KeyPress) => (list.current === undefined ? key : clickedKey(key, list.current)),
      drawn(next: DrawnList) {
        list.current = next;
      },
    }),
    [],
  );
}
