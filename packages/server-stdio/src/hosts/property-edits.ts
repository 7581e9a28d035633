import type { Edit, Node } from "jsonc-parser";

/**
 * Puts a property behind the last one of an object, on lines of its own: also behind the comment that belongs to the last
 * one. `undefined` when the object is written on one line, or is empty.
 */
export function insertionAfter(text: string, object: Node, key: string, value: unknown): Edit[] | undefined {
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
export function removalOf(text: string, property: Node): Edit[] | undefined {
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
