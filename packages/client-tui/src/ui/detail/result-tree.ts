import type { TaskResult } from "@resumable-mcp/client";
import { type Json, parseJson } from "@resumable-mcp/protocol";
import { countText, plainText } from "../../display/plain-text.js";
import { contentText } from "../../display/result-text.js";

/** Entries of one array or object that are shown. */
const maxEntries = 200;
/** Deeper than this, what holds something is folded at first. */
const openDepth = 2;

/** One line of a tree of JSON. */
export interface TreeLine {
  readonly path: string;
  readonly depth: number;
  readonly text: string;
  /** `undefined` for what holds nothing. */
  readonly open: boolean | undefined;
}

/** What a result holds: its structured content, else its text as JSON, else its lines. */
export function resultValue(result: TaskResult): Json {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const text = contentText(result);
  const lines = text.split("\n");
  return parseJson(text) ?? (lines.length === 1 ? text : lines);
}

/** The lines of a tree; `toggled` are the paths that the user opened or closed against the rule. */
export function treeLines(value: Json, toggled: ReadonlySet<string>): readonly TreeLine[] {
  return linesOf("result", value, { path: "$", depth: 0 }, toggled);
}

function linesOf(
  name: string,
  value: Json,
  { path, depth }: { readonly path: string; readonly depth: number },
  toggled: ReadonlySet<string>,
): readonly TreeLine[] {
  const entries = entriesOf(value);
  if (entries === undefined)
    return [{ path, depth, text: `${name}: ${plainText(JSON.stringify(value))}`, open: undefined }];
  const open = depth < openDepth !== toggled.has(path);
  const head = { path, depth, text: `${name}: ${sizeText(value, entries.length)}`, open };
  if (!open) return [head];
  const shown = entries
    .slice(0, maxEntries)
    .flatMap(([key, entry]) => linesOf(plainText(key), entry, { path: `${path}/${key}`, depth: depth + 1 }, toggled));
  const more = entries.length - maxEntries;
  if (more <= 0) return [head, ...shown];
  return [head, ...shown, { path: `${path}/…`, depth: depth + 1, text: `… ${more} more`, open: undefined }];
}

function entriesOf(value: Json): readonly (readonly [string, Json])[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return entries.length === 0 ? undefined : entries;
}

function sizeText(value: Json, count: number): string {
  return Array.isArray(value) ? `[${countText(count, "entry", "entries")}]` : `{${countText(count, "field")}}`;
}
