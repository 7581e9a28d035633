import type { ZodType, z } from "zod";
import type { DocumentDisk } from "./document-disk.js";

/** Parses the text of a document. */
export function parseDocument<Document>(
  schema: ZodType<Document>,
  text: string,
): { readonly document: Document } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    return { problem: "it is not JSON" };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { document: parsed.data } : { problem: problemOf(parsed.error) };
}

/** How many levels of a document have lines of their own: blanks in front of deep ones would be most of the text. */
const indentedLevels = 4;

/**
 * Writes a document as a person reads it.
 *
 * @throws a `TypeError` for one that does not fit the schema.
 */
export function formatDocument<Document>(schema: ZodType<Document>, document: Document, path: string): string {
  const checked = schema.safeParse(document);
  if (!checked.success) throw new TypeError(`${path} was not written: ${problemOf(checked.error)}.`);
  return `${indented(document, indentedLevels)}\n`;
}

/** As `JSON.stringify` with two blanks, down to a level; what is deeper stands on one line. */
function indented(value: unknown, levels: number, margin = ""): string {
  const json = (part: unknown): string => JSON.stringify(part) ?? "null";
  if (typeof value !== "object" || value === null || "toJSON" in value || levels === 0) return json(value);
  const inner = `${margin}  `;
  const write = (part: unknown): string => inner + indented(part, levels - 1, inner);
  const parts = Array.isArray(value)
    ? value.map(write)
    : Object.entries(value).flatMap(([key, part]) =>
        part === undefined ? [] : [`${inner}${json(key)}: ${indented(part, levels - 1, inner)}`],
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(",\n")}\n${margin}${close}`;
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  return place === "" ? "it does not fit its schema" : `${place} does not fit its schema`;
}

/** Reads all of a file; `undefined` when there is none. */
export function readText(disk: DocumentDisk, path: string): string | undefined {
  const file = openIfExists(disk, path);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(disk.stat(path)?.size ?? 0);
    let filled = 0;
    while (filled < bytes.byteLength) {
      const count = disk.read(file, bytes.subarray(filled), filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.toString("utf8", 0, filled);
  } finally {
    disk.close(file);
  }
}

function openIfExists(disk: DocumentDisk, path: string): number | undefined {
  try {
    return disk.open(path, "r");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Writes all bytes, or throws: a short write is a full disk. */
export function writeAll(disk: DocumentDisk, file: number, bytes: Buffer): void {
  const count = disk.write(file, bytes, 0);
  if (count === bytes.byteLength) return;
  const message = `ENOSPC: ${count} of ${bytes.byteLength} bytes were written`;
  throw Object.assign(new Error(message), { code: "ENOSPC", syscall: "write" });
}

/** A draft that cannot be removed is left: the caller needs the error of the write, not this one. */
export function unlinkIfExists(disk: DocumentDisk, path: string): void {
  try {
    disk.unlink(path);
  } catch {}
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
