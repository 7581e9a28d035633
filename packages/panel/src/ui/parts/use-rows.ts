import { type RefObject, useLayoutEffect, useState } from "react";

/** The rows of a long list that have to be drawn. */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
  readonly rowHeight: number;
}

/** Rows that are drawn above and below what is seen: so many can be reached by the keyboard at once. */
const spareRows = 8;
/** Rows that come and go at once. */
const stepRows = 4;
const usualRowHeight = 56;

/** Tells which rows of a scrolling element are seen. Their height is `--row` of its style. */
export function useRows(element: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [view, setView] = useState({ top: 0, height: 600, rowHeight: usualRowHeight });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => {
      const rowHeight = Number.parseFloat(getComputedStyle(current).getPropertyValue("--row")) || usualRowHeight;
      // Rows come and go in steps: not each pixel draws the list again.
      const step = rowHeight * stepRows;
      const top = Math.floor(current.scrollTop / step) * step;
      const height = current.clientHeight;
      setView((last) =>
        last.top === top && last.height === height && last.rowHeight === rowHeight ? last : { top, height, rowHeight },
      );
    };
    measure();
    current.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => {
      current.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, [element]);
  const { top, height, rowHeight } = view;
  const from = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - spareRows);
  return { from, to: Math.min(count, Math.ceil((top + height) / rowHeight) + stepRows + spareRows), rowHeight };
}
