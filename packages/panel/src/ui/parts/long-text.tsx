import { type ReactNode, useState } from "react";
import { bodyText, maxShownCharacters, maxTextCharacters } from "../../model/bounded.js";
import { useTexts } from "../../texts/texts.js";

interface LongTextProps {
  readonly text: string;
  readonly className?: string;
  /** Characters that are drawn before the user asks for more. */
  readonly first?: number;
}

/** A text of a server with its lines, of which only so much is drawn as the user asks for. */
export function LongText({ text, className = "long", first = maxTextCharacters }: LongTextProps): ReactNode {
  const texts = useTexts();
  const [most, setMost] = useState(first);
  const shown = bodyText(text, most);
  const rest = texts.moreCharacters(shown.left);
  return (
    <div className={className}>
      <div className="long-text">{shown.text}</div>
      {shown.left > 0 &&
        (most < maxShownCharacters ? (
          <button type="button" className="quiet" onClick={() => setMost(Math.min(maxShownCharacters, most * 5))}>
            … {rest}
          </button>
        ) : (
          <p className="muted">… {rest}</p>
        ))}
    </div>
  );
}
