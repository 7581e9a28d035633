import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@resumable-mcp/mcp/command-line";
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { HostEntry } from "./host-config.js";
import { insertionAfter, removalOf } from "./property-edits.js";

type Place = Pick<HostEntry, "key" | "name">;
type Values = Record<string, unknown>;

/**
 * Adds a server to the text of a configuration file, or changes it. Everything else stays as it is, comments, order
 * and indentation included. Pure.
 *
 * @throws {@link CommandError} when the text is not what a configuration file is; nothing is guessed.
 */
export function setServer(text: string, { key, name, entry }: Place & { entry: object }, file: string): string {
  const base = text.trim() === "" ? "{}\n" : text;
  const root = parseConfig(base, key, file);
  const servers = findNodeAtLocation(root, [key]);
  const wanted = structuredClone(entry);
  const edited = (() => {
    if (servers === undefined) return insert(base, root, key, { [name]: wanted }, [key]);
    if (findNodeAtLocation(servers, [name]) === undefined) return insert(base, servers, name, wanted, [key, name]);
    return applyEdits(base, modify(base, [key, name], wanted, { formattingOptions: formattingOf(base) }));
  })();
  const before = nodeValue(root);
  return checked(edited, { ...before, [key]: { ...Object(before[key]), [name]: wanted } }, key, file);
}

/** Takes a server out of the text of a configuration file; `undefined` when it does not stand there. Pure. */
export function removeServer(text: string, { key, name }: Place, file: string): string | undefined {
  if (text.trim() === "") return undefined;
  const root = parseConfig(text, key, file);
  const property = findNodeAtLocation(root, [key, name])?.parent;
  if (property === undefined) return undefined;
  const edits = removalOf(text, property) ?? modify(text, [key, name], undefined, {});
  const before = nodeValue(root);
  const { [name]: _removed, ...rest } = Object(before[key]);
  return checked(applyEdits(text, edits), { ...before, [key]: rest }, key, file);
}

/** The server as it stands in a configuration file now. */
export function getServer(text: string, { key, name }: Place, file: string): Values | undefined {
  if (text.trim() === "") return undefined;
  const found = findNodeAtLocation(parseConfig(text, key, file), [key, name]);
  return found === undefined ? undefined : nodeValue(found);
}

function parseConfig(text: string, key: string, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const place = text.slice(0, error.offset).split("\n");
    const where = `line ${place.length}, column ${(place.at(-1)?.length ?? 0) + 1}`;
    const what = printParseErrorCode(error.error);
    throw new CommandError(`${file} is not valid JSON (${what} at ${where}). It was left as it is: mend it first.`);
  }
  if (root?.type !== "object") {
    throw new CommandError(`${file} holds no JSON object. It was left as it is: mend it first.`);
  }
  const servers = findNodeAtLocation(root, [key]);
  if (servers !== undefined && servers.type !== "object") {
    throw new CommandError(`"${key}" of ${file} is no object. It was left as it is: mend it first.`);
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

/** No change is worth more than the file: the edited text has to say exactly what was meant. */
function checked(edited: string, meant: Values, key: string, file: string): string {
  if (isDeepStrictEqual(nodeValue(parseConfig(edited, key, file)), JSON.parse(JSON.stringify(meant)))) return edited;
  throw new CommandError(`${file} cannot be changed without changing more than was asked. It was left as it is.`);
}
