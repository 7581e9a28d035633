import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@resumable-mcp/command-line";
import { type Document, isMap, isNode, isScalar, isSeq, type Node, parseDocument, stringify } from "yaml";
import type { ConfigEditor } from "./config-editor.js";
import { checkEdited, endOfLine, findLineEnd, isValues, serversIn, startOfLine, type Values } from "./edited-text.js";

/** How a file holds servers: under their names, or in a list of entries that have names. */
interface Shape {
  read(values: Values, key: string, file: string): Values;
  hold(servers: Values): object;
}

const byName: Shape = { read: serversIn, hold: (servers) => servers };

const listed: Shape = {
  read(values, key, file) {
    const entries: unknown = values[key] ?? [];
    if (!Array.isArray(entries) || !entries.every(isValues))
      throw new CommandError(`"${key}" of ${file} is not a list of servers. It was left as it is: fix it first.`);
    return Object.fromEntries(entries.map((entry) => [String(entry.name), entry]));
  },
  hold: (servers) => Object.values(servers),
};

/**
 * Edits YAML: lines of one server are put in, or taken out. The parser tells where, and only reads; what was written is read again
 * and compared with what was meant. A file whose servers stand on one line is left to its author.
 */
function editorOf(shape: Shape): ConfigEditor {
  return {
    set(text, { key, name, entry, needs }, file) {
      const document = read(text, file);
      const before = valuesOf(document, file);
      const servers = shape.read(before, key, file);
      if (isDeepStrictEqual(servers[name], entry)) return text;
      const { [name]: found, ...rest } = servers;
      const others = found === undefined ? text : withoutServer(text, document, { key, name }, file);
      const asked = Object.keys(before).length === 0 ? needs : undefined;
      const whole = asked === undefined ? others : appended(others, asked);
      const added = { [name]: entry };
      const edited = withServer(whole, read(whole, file), { key, added: shape.hold(added) }, file);
      const meant = { ...asked, ...before, [key]: shape.hold({ ...added, ...rest }) };
      checkEdited(() => valuesOf(read(edited, file), file), meant, file);
      return edited;
    },
    remove(text, { key, name }, file) {
      const document = read(text, file);
      const before = valuesOf(document, file);
      const { [name]: found, ...rest } = shape.read(before, key, file);
      if (found === undefined) return undefined;
      const edited = withoutServer(text, document, { key, name }, file);
      checkEdited(() => valuesOf(read(edited, file), file), { ...before, [key]: shape.hold(rest) }, file);
      return edited;
    },
    servers: (text, { key }, file) => shape.read(valuesOf(read(text, file), file), key, file),
  };
}

/** Files that hold servers by name, and those that list them. */
export const yamlEditor = editorOf(byName);
export const yamlListEditor = editorOf(listed);

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

function lines(value: object, indent: number, eol: string): string {
  return stringify(value, { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" })
    .replace(/^(?=.)/gm, " ".repeat(indent))
    .replaceAll("\n", eol);
}

function appended(text: string, value: object): string {
  const eol = findLineEnd(text);
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  return `${text}${gap}${lines(value, 0, eol)}`;
}

/** Puts a server right below the line that begins the servers, so that comments of the others stay with them. */
function withServer(
  text: string,
  document: Document.Parsed,
  { key, added }: { readonly key: string; readonly added: object },
  file: string,
): string {
  const eol = findLineEnd(text);
  const found = pairOf(document.contents, key);
  if (found === undefined) return appended(text, { [key]: added });
  const begin = startOf(found, file);
  const [first] = placesOf(found.value, text);
  if (first === undefined) {
    // Nothing, or `{}` or `[]`, which goes.
    const range = found.value?.range ?? undefined;
    const emptied =
      range === undefined || range[0] === range[1] ? text : replace({ text, from: range[0], to: range[1] }, "");
    const at = endOfLine(emptied, begin);
    const gap = emptied.slice(0, at).endsWith("\n") ? "" : eol;
    return replace({ text: emptied, from: at, to: at }, `${gap}${lines(added, 2, eol)}`);
  }
  if (isOnOneLine(found.value)) throw onOneLine(key, file);
  const at = endOfLine(text, begin);
  return replace({ text, from: at, to: at }, lines(added, first.from - startOfLine(text, first.from), eol));
}

/** Takes out the lines of a server. */
function withoutServer(
  text: string,
  document: Document.Parsed,
  { key, name }: { readonly key: string; readonly name: string },
  file: string,
): string {
  const found = pairOf(document.contents, key);
  const places = placesOf(found?.value, text);
  const server = places.find((place) => place.name === name);
  if (found === undefined || server === undefined || isOnOneLine(found.value)) throw onOneLine(key, file);
  const from = startOfLine(text, server.from);
  const to = text.charAt(server.to - 1) === "\n" ? server.to : endOfLine(text, server.to);
  const rest = replace({ text, from, to }, "");
  if (places.length > 1) return rest;
  // A property without a value is neither a map nor a list for every reader.
  const colon = text.indexOf(":", startOf(found, file) + key.length);
  return replace({ text: rest, from: colon + 1, to: colon + 1 }, isMap(found.value) ? " {}" : " []");
}

/** A server's name, and where it begins and ends: at its name, or at the dash of its entry. */
interface Place {
  readonly name: unknown;
  readonly from: number;
  readonly to: number;
}

function placesOf(servers: Node | undefined, text: string): readonly Place[] {
  if (isSeq(servers)) {
    return servers.items.flatMap((item) => {
      const [begin, to] = (isMap(item) ? item.range : undefined) ?? [];
      if (!isMap(item) || begin === undefined || to === undefined) return [];
      return [{ name: item.get("name"), from: text.lastIndexOf("-", begin - 1), to }];
    });
  }
  return pairsOf(servers).flatMap(({ key, value }) => {
    const [from] = (isScalar(key) ? key.range : undefined) ?? [];
    return isScalar(key) && from !== undefined ? [{ name: key.value, from, to: value?.range?.[1] ?? from }] : [];
  });
}

const isOnOneLine = (servers: Node | undefined) => (isMap(servers) || isSeq(servers)) && servers.flow === true;

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
