import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@resumable-mcp/command-line";
import { type Document, isMap, isNode, isScalar, type Node, parseDocument, stringify } from "yaml";
import type { ConfigEditor } from "./config-editor.js";
import { checkEdited, endOfLine, findLineEnd, isValues, serversIn, startOfLine, type Values } from "./edited-text.js";

/**
 * Edits YAML: lines of one server are put in, or taken out. The parser tells where, and only reads; what was written is read again
 * and compared with what was meant. A file whose servers stand on one line is left to its author.
 */
export const yamlEditor: ConfigEditor = {
  set(text, { key, name, entry }, file) {
    const document = read(text, file);
    const before = valuesOf(document, file);
    const servers = serversIn(before, key, file);
    if (isDeepStrictEqual(servers[name], entry)) return text;
    const others = servers[name] === undefined ? text : withoutServer(text, document, { key, name }, file);
    const edited = withServer(others, read(others, file), { key, name, entry }, file);
    const meant = { ...before, [key]: { ...servers, [name]: entry } };
    checkEdited(() => valuesOf(read(edited, file), file), meant, file);
    return edited;
  },
  remove(text, { key, name }, file) {
    const document = read(text, file);
    const before = valuesOf(document, file);
    const { [name]: found, ...rest } = serversIn(before, key, file);
    if (found === undefined) return undefined;
    const edited = withoutServer(text, document, { key, name }, file);
    checkEdited(() => valuesOf(read(edited, file), file), { ...before, [key]: rest }, file);
    return edited;
  },
  servers: (text, { key }, file) => serversIn(valuesOf(read(text, file), file), key, file),
};

function read(text: string, file: string): Document.Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error === undefined) return document;
  const [what] = error.message.split("\n");
  throw new CommandError(`${file} is not valid YAML (${what?.replace(/:$/, "")}). It was left as it is: fix it first.`);
}

function valuesOf(document: Document.Parsed, file: string): Values {
  const values: unknown = document.toJS() ?? {};
  if (isValues(values)) return values;
  throw new CommandError(`${file} does not hold a YAML mapping. It was left as it is: fix it first.`);
}

interface Lines {
  readonly text: string;
  /** Where they begin and end. */
  readonly from: number;
  readonly to: number;
}

function replace({ text, from, to }: Lines, by: string): string {
  return `${text.slice(0, from)}${by}${text.slice(to)}`;
}

/** Puts a server right below the line that begins the servers, so that comments of the others stay with them. */
function withServer(
  text: string,
  document: Document.Parsed,
  { key, name, entry }: { readonly key: string; readonly name: string; readonly entry: object },
  file: string,
): string {
  const eol = findLineEnd(text);
  const lines = (indent: number, value: object) =>
    stringify(value, { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" })
      .replace(/^(?=.)/gm, " ".repeat(indent))
      .replaceAll("\n", eol);
  const found = pairOf(document.contents, key);
  if (found === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : eol;
    return `${text}${gap}${lines(0, { [key]: { [name]: entry } })}`;
  }
  const begin = startOf(found, file);
  const map = isMap(found.value) ? found.value : undefined;
  const [first] = pairsOf(map);
  if (map === undefined || first === undefined) {
    // Nothing, or `{}`, which goes.
    const range = found.value?.range ?? undefined;
    const emptied =
      range === undefined || range[0] === range[1] ? text : replace({ text, from: range[0], to: range[1] }, "");
    const at = endOfLine(emptied, begin);
    const gap = emptied.slice(0, at).endsWith("\n") ? "" : eol;
    return replace({ text: emptied, from: at, to: at }, `${gap}${lines(2, { [name]: entry })}`);
  }
  if (map.flow === true) throw onOneLine(key, file);
  const start = startOf(first, file);
  const at = endOfLine(text, begin);
  return replace({ text, from: at, to: at }, lines(start - startOfLine(text, start), { [name]: entry }));
}

/** Takes out the lines of a server. */
function withoutServer(
  text: string,
  document: Document.Parsed,
  { key, name }: { readonly key: string; readonly name: string },
  file: string,
): string {
  const found = pairOf(document.contents, key);
  const map = isMap(found?.value) ? found.value : undefined;
  const server = pairOf(map, name);
  if (found === undefined || map === undefined || server === undefined || map.flow === true) throw onOneLine(key, file);
  const from = startOfLine(text, startOf(server, file));
  const end = server.value?.range?.[1] ?? from;
  const to = text.charAt(end - 1) === "\n" ? end : endOfLine(text, end);
  const rest = replace({ text, from, to }, "");
  if (map.items.length > 1) return rest;
  // A property without a value is not a map for every reader.
  const colon = text.indexOf(":", startOf(found, file) + key.length);
  return replace({ text: rest, from: colon + 1, to: colon + 1 }, " {}");
}

interface FoundPair {
  readonly key: unknown;
  readonly value: Node | undefined;
}

function pairsOf(map: unknown): readonly FoundPair[] {
  return isMap(map) ? map.items.map(({ key, value }) => ({ key, value: isNode(value) ? value : undefined })) : [];
}

function pairOf(map: unknown, key: string): FoundPair | undefined {
  return pairsOf(map).find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function startOf({ key }: FoundPair, file: string): number {
  const start = isScalar(key) ? key.range?.[0] : undefined;
  if (start === undefined)
    throw new CommandError(`${file} cannot be changed. It was left as it is: change it by hand.`);
  return start;
}

function onOneLine(key: string, file: string): CommandError {
  return new CommandError(`"${key}" of ${file} stands on one line. It was left as it is: change it by hand.`);
}
