import type { ReactNode } from "react";
import { type Texts, useTexts } from "../../texts/texts.js";
import { timeText } from "../parts/time-text.js";

/** Lines that are drawn before the user asks for more: the newest first. */
export const pageLines = 100;

interface MoreProps {
  readonly left: number;
  readonly isCut: boolean;
  readonly onMore: () => void;
}

/** Shows more lines, or that earlier events are not known. */
export function More({ left, isCut, onMore }: MoreProps): ReactNode {
  const texts = useTexts();
  if (left > 0)
    return (
      <button type="button" className="quiet" onClick={onMore}>
        … {texts.more(left)}
      </button>
    );
  return isCut ? <p className="muted">{texts.earlier}</p> : null;
}

/** The time of a line. */
export function Time({ at, texts }: { readonly at: string | undefined; readonly texts: Texts }): ReactNode {
  if (at === undefined) return <span />;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(texts.language)}>
      {timeText(date, texts.language)}
    </time>
  );
}
