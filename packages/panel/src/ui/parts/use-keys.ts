import { useEffect } from "react";

/** What a key does; those of a task press its buttons, which say themselves whether they make sense. */
const keys: Readonly<Record<string, () => void>> = {
  "/": () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  r: () => press("r"),
  p: () => press("p"),
  c: () => press("c"),
};

/** Lets keys without a modifier work wherever no text is written and no dialog asks; `?` asks for `onHelp`. */
export function useKeys(onHelp: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
      const isModified = event.ctrlKey || event.metaKey || event.altKey;
      if (isWriting || isModified || document.querySelector("dialog[open]") !== null) return;
      const action = event.key === "?" ? onHelp : Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [onHelp]);
}

function press(key: string): void {
  document.querySelector<HTMLElement>(`main [data-key="${key}"]`)?.click();
}

/** The rows that are drawn are in the order of their numbers, not in that of the document. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".rows-body .row")].toSorted(
    (left, right) => rowNumber(left) - rowNumber(right),
  );
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : at + by];
  next?.querySelector<HTMLElement>("a")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function rowNumber(row: HTMLElement): number {
  return Number(row.getAttribute("aria-rowindex"));
}
