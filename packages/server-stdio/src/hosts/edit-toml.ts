import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@resumable-mcp/command-line";
import { parse, stringify, TomlError } from "smol-toml";
import type { ConfigEditor } from "./config-editor.js";
import { checkEdited, findLineEnd, serversIn, type Values } from "./edited-text.js";

/**
 * Edits TOML: a server is a table of its own, which can stand at the end of every file. The parser only reads; what was written is
 * read again and compared with what was meant.
 */
export const tomlEditor: ConfigEditor = {
  set(text, { key, name, entry }, file) {
    const before = read(text, file);
    const servers = serversIn(before, key, file);
    if (isDeepStrictEqual(servers[name], entry)) return text;
    const others = servers[name] === undefined ? text : withoutTable(text, key, name);
    const eol = findLineEnd(text);
    const table = stringify({ [key]: { [name]: entry } })
      .trim()
      .replaceAll("\n", eol);
    const gap = others.trim() === "" ? "" : `${/\n$/.test(others) ? "" : eol}${/\n\s*\n$/.test(others) ? "" : eol}`;
    const edited = `${others}${gap}${table}${eol}`;
    checkEdited(() => read(edited, file), { ...before, [key]: { ...servers, [name]: entry } }, file);
    return edited;
  },
  remove(text, { key, name }, file) {
    const before = read(text, file);
    const { [name]: found, ...rest } = serversIn(before, key, file);
    if (found === undefined) return undefined;
    const edited = withoutTable(text, key, name);
    // The last table of them takes the property with it.
    const withProperty = (values: Values): Values => ({ ...values, [key]: values[key] ?? {} });
    checkEdited(() => withProperty(read(edited, file)), { ...before, [key]: rest }, file);
    return edited;
  },
  servers: (text, { key }, file) => serversIn(read(text, file), key, file),
};

function read(text: string, file: string): Values {
  try {
    // The parser's own objects have no prototype.
    return structuredClone(parse(text, { integersAsBigInt: "asNeeded" }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    const place = `${what} at line ${error.line}, column ${error.column}`;
    throw new CommandError(`${file} is not valid TOML (${place}). It was left as it is: fix it first.`, 1, error);
  }
}

/** Takes out the table of a server and the tables in it, with the empty line before. */
function withoutTable(text: string, key: string, name: string): string {
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  let inside = false;
  // What may belong to the next table: it stays.
  let loose: string[] = [];
  for (const line of lines) {
    const header = /^\s*\[+\s*([^\]]*)/.exec(line)?.[1];
    if (header !== undefined) {
      const was = inside;
      inside = isWithin(header, key, name);
      if (inside && !was && /^\s*$/.test(kept.at(-1) ?? "x")) kept.pop();
      if (was) kept.push(...loose);
      loose = [];
    }
    if (!inside) kept.push(line);
    else if (/^\s*(?:#[^\n]*)?\s*$/.test(line)) loose.push(line);
    else loose = [];
  }
  return [...kept, ...loose.filter((line) => line.trim() !== "")].join("");
}

/** Whether a header names the table of a server, or one in it. */
function isWithin(header: string, key: string, name: string): boolean {
  const keys = header.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s"']+/g) ?? [];
  const [first, second] = keys.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
  return first === key && second === name;
}
