import type { Json } from "@resumable-mcp/protocol";
import { type ReactNode, useState } from "react";
import { lineText, valueLine } from "../../model/bounded.js";
import { useTexts } from "../../texts/texts.js";
import { LongText } from "./long-text.js";

/** Entries of one array or object that are drawn before the user asks for more. */
const pageEntries = 100;
/** Characters that are shown of what is folded. */
const foldedCharacters = 160;
/** Characters of one text that are drawn before the user asks for more. */
const firstCharacters = 400;
/** Deeper than this, what holds something is folded at first. */
const openDepth = 2;

/** One value of JSON: what holds something can be unfolded. */
export function JsonTree({
  value,
  name,
  depth = 0,
}: {
  readonly value: Json;
  readonly name?: string;
  readonly depth?: number;
}): ReactNode {
  const texts = useTexts();
  const [open, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(pageEntries);
  const label = name === undefined ? undefined : <span className="json-name">{lineText(name)}</span>;
  const entries = entriesOf(value, shown);
  if (entries === undefined)
    return (
      <div className="json-leaf">
        {label}
        {typeof value === "string" ? (
          <LongText text={value} className="json-text" first={firstCharacters} />
        ) : (
          <span>{valueLine(value)}</span>
        )}
      </div>
    );
  const { total, first, isList } = entries;
  const size = isList ? texts.entries(total) : texts.fields(total);
  return (
    <details className="json" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}{" "}
        {open ? (
          <span className="muted">{isList ? `[${size}]` : `{${size}}`}</span>
        ) : (
          <span>{valueLine(value, foldedCharacters)}</span>
        )}
      </summary>
      {open && (
        <div className="json-entries">
          {first.map(([key, entry]) => (
            <JsonTree key={key} name={key} value={entry} depth={depth + 1} />
          ))}
          {total > shown && (
            <button type="button" className="quiet" onClick={() => setShown(shown + pageEntries)}>
              … {texts.more(total - shown)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

/** What a value holds; `undefined` for one that holds nothing. */
function entriesOf(value: Json, most: number) {
  if (typeof value !== "object" || value === null) return undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return undefined;
  const object = value as Readonly<Record<string, Json>>;
  const first = keys.slice(0, most).map((key) => [key, object[key] ?? null] as const);
  return { total: keys.length, first, isList: Array.isArray(value) };
}
