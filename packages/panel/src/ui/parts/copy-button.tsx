import { type ReactNode, useState } from "react";
import { useTexts } from "../../texts/texts.js";

/** Copies a text, where the page may: a host decides that for its frame. */
export function CopyButton({ text }: { readonly text: () => string }): ReactNode {
  const texts = useTexts();
  const [copied, setCopied] = useState(false);
  const clipboard = globalThis.navigator?.clipboard;
  if (clipboard === undefined) return null;
  const copy = () =>
    clipboard.writeText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <button type="button" className="quiet" onBlur={() => setCopied(false)} onClick={() => void copy()}>
      {copied ? texts.copied : texts.copy}
    </button>
  );
}
