import { wrapText } from "../../display/plain-text.js";

/** A notice says what to do next at its end: it is cut only where it would take more lines than this. */
const mostNoticeRows = 3;
/** The mark of a notice, and the space behind it. */
const noticeLead = 2;

/** The lines that a notice takes on a screen; the last one is cut where it does not fit. */
export function noticeLines(text: string, columns: number): readonly string[] {
  return wrapText(text, columns - noticeLead, mostNoticeRows);
}

/** Whether a notice is shown whole. */
export function fitsNotice(text: string, columns: number): boolean {
  return wrapText(text, columns - noticeLead).length <= mostNoticeRows;
}
