import type { KeyPress } from "./key-press.js";
import { withTyped } from "./key-rules.js";

/** What a list is searched for. */
export interface Find {
  /** Words that a line has to contain, each of them. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
}

/** The keys while one types. */
export const findKeys = ["type to find", "Enter keep", "Esc show all"];

/** Whether every key belongs to the filter. */
export function isTypingFilter({ typing }: Find): boolean {
  return typing;
}

/** Types a filter: Enter keeps it, and Escape takes it back. */
export function typeFilter({ filter }: Find, key: KeyPress): Find {
  if (key.name === "enter") return { typing: false, filter };
  if (key.name === "escape") return { typing: false, filter: "" };
  return { typing: true, filter: withTyped(filter, key) };
}

/** Tells whether a text contains each word of a filter, whatever the case. */
export function hasWords(text: string, filter: string): boolean {
  const shown = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** How the title of a list names its filter. */
export function findText({ filter, typing }: Find): string {
  return typing || filter !== "" ? `/${filter}${typing ? "_" : ""}` : "";
}
