import { CommandError } from "@resumable-mcp/command-line";
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { ConfigEditor, PlacedServer, ServerPlace } from "./config-editor.js";
import { checkEdited, type Values } from "./edited-text.js";

/** Edits JSON, which may have comments and trailing commas. */
export const jsonEditor: ConfigEditor = { set: setServer, remove: removeServer, servers: getServers };

function setServer(text: string, { entry, ...place }: PlacedServer, file: string): string {
  const base = text.trim() === "" ? "{}\n" : text;
  const root = parseConfig(base, place, file);
  const path = pathOf(root, place);
  const { name } = place;
  const servers = findNodeAtLocation(root, path);
  const wanted = structuredClone(entry);
  const edited = (() => {
    if (servers === undefined) return insert(base, root, place.key, { [name]: wanted }, path);
    if (findNodeAtLocation(servers, [name]) === undefined) return insert(base, servers, name, wanted, [...path, name]);
    return applyEdits(base, modify(base, [...path, name], wanted, { formattingOptions: formattingOf(base) }));
  })();
  const before = servers === undefined ? {} : nodeValue(servers);
  return checked(edited, withServers(nodeValue(root), path, { ...before, [name]: wanted }), place, file);
}

function removeServer(text: string, place: ServerPlace, file: string): string | undefined {
  if (text.trim() === "") return undefined;
  const root = parseConfig(text, place, file);
  const path = pathOf(root, place);
  const servers = findNodeAtLocation(root, path);
  const property = servers && findNodeAtLocation(servers, [place.name])?.parent;
  if (servers === undefined || property === undefined) return undefined;
  const edits = removalOf(text, property) ?? modify(text, [...path, place.name], undefined, {});
  const { [place.name]: _removed, ...rest } = nodeValue(servers);
  return checked(applyEdits(text, edits), withServers(nodeValue(root), path, rest), place, file);
}

function getServers(text: string, place: Omit<ServerPlace, "name">, file: string): Values {
  if (text.trim() === "") return {};
  const root = parseConfig(text, place, file);
  const found = findNodeAtLocation(root, pathOf(root, place));
  return found === undefined ? {} : nodeValue(found);
}

/** The path of the property that has the servers. */
function pathOf(root: Node, { key, deeperKey }: Omit<ServerPlace, "name">): string[] {
  const isDeeper = deeperKey !== undefined && findNodeAtLocation(root, [key, deeperKey])?.type === "object";
  return isDeeper ? [key, deeperKey] : [key];
}

function withServers(values: Values, [key = "", deeperKey]: readonly string[], servers: Values): Values {
  return { ...values, [key]: deeperKey === undefined ? servers : { ...Object(values[key]), [deeperKey]: servers } };
}

function parseConfig(text: string, { key }: Omit<ServerPlace, "name">, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const place = text.slice(0, error.offset).split("\n");
    const where = `line ${place.length}, column ${(place.at(-1)?.length ?? 0) + 1}`;
    const what = printParseErrorCode(error.error);
    throw new CommandError(`${file} is not valid JSON (${what} at ${where}). It was left as it is: fix it first.`);
  }
  if (root?.type !== "object") {
    throw new CommandError(`${file} does not hold a JSON object. It was left as it is: fix it first.`);
  }
  const servers = findNodeAtLocation(root, [key]);
  if (servers !== undefined && servers.type !== "object") {
    throw new CommandError(`"${key}" of ${file} is not an object. It was left as it is: fix it first.`);
  }
  return root;
}

/** The parser's own objects have no prototype. */
function nodeValue(node: Node): Values {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function insert(text: string, object: Node, key: string, value: unknown, path: string[]): string {
  const edits = insertionAfter(text, object, key, value);
  return applyEdits(text, edits ?? modify(text, path, value, { formattingOptions: formattingOf(text) }));
}

/** What a file looks like when nothing has been written by hand yet. */
function formattingOf(text: string) {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length, eol };
}

function checked(edited: string, meant: Values, place: ServerPlace, file: string): string {
  checkEdited(() => nodeValue(parseConfig(edited, place, file)), JSON.parse(JSON.stringify(meant)), file);
  return edited;
}

/**
 * Puts a property behind the last one of an object, on lines of its own: also behind the comment that belongs to the last
 * one. `undefined` when the object is written on one line, or is empty.
 */
function insertionAfter(text: string, object: Node, key: string, value: unknown): Edit[] | undefined {
  const last = object.children?.at(-1);
  const indent = last === undefined ? undefined : indentAt(text, last.offset);
  if (last === undefined || indent === undefined) return undefined;
  const { commaAt, lineEnd } = restOfLine(text, last.offset + last.length);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, object.offset + object.length - 1) ?? "";
  const unit = indent.startsWith(outer) && indent !== outer ? indent.slice(outer.length) : "  ";
  const json = JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  const property = `${eol}${indent}${JSON.stringify(key)}: ${json}`;
  if (commaAt !== undefined) return [{ offset: lineEnd, length: 0, content: `${property},` }];
  const end = last.offset + last.length;
  if (lineEnd === end) return [{ offset: end, length: 0, content: `,${property}` }];
  return [
    { offset: end, length: 0, content: "," },
    { offset: lineEnd, length: 0, content: property },
  ];
}

/** Takes a property out with the lines that it stands on. `undefined` when it shares them with something else. */
function removalOf(text: string, property: Node): Edit[] | undefined {
  const indent = indentAt(text, property.offset);
  const end = property.offset + property.length;
  const { commaAt, lineEnd, hasComment } = restOfLine(text, end);
  if (indent === undefined || hasComment || !/^\r?\n/.test(text.slice(lineEnd))) return undefined;
  const lineStart = property.offset - indent.length;
  const from = text.slice(0, lineStart).replace(/\r?\n$/, "").length;
  const removal: Edit = { offset: from, length: lineEnd - from, content: "" };
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  if (commaAt !== undefined || before === undefined) return [removal];
  const comma = restOfLine(text, before.offset + before.length).commaAt;
  return comma === undefined ? undefined : [{ offset: comma, length: 1, content: "" }, removal];
}

/** The white space before a place, when nothing else stands before it on its line. */
function indentAt(text: string, offset: number): string | undefined {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return offset > line.length && /^[ \t]*$/.test(line) ? line : undefined;
}

/** What follows on a line: a comma, and a comment that belongs to it. `lineEnd` is behind the last of them. */
function restOfLine(text: string, from: number) {
  const part = /[ \t]*(?:(,)|\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/y;
  part.lastIndex = from;
  let [lineEnd, hasComment] = [from, false];
  let commaAt: number | undefined;
  for (;;) {
    const [, comma] = part.exec(text) ?? [];
    if (part.lastIndex === 0 || (comma !== undefined && commaAt !== undefined)) return { commaAt, lineEnd, hasComment };
    lineEnd = part.lastIndex;
    if (comma === undefined) hasComment = true;
    else commaAt = lineEnd - 1;
  }
}
