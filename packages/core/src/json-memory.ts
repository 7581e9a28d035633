import type { Json } from "./json.js";

/**
 * What values take next to their characters, in bytes, as V8 keeps them on 64 bits; the larger one where it has several ways. A
 * character counts as one byte: those of a text that is not all Latin-1 take two.
 */
const textBytes = 24;
const numberBytes = 16;
const listBytes = 48;
const objectBytes = 64;
/** In a list, and of an object with its key. */
const itemBytes = 8;
const entryBytes = 72;

const known = new WeakMap<object, number>();

/**
 * Estimates how many bytes a record takes in memory. A value such as `{}` takes twenty times the bytes of its text, so that
 * a cache which counts text holds twenty times what it may.
 *
 * The parts of a record do not change, so that each is looked at once.
 */
export function recordMemory(record: object): number {
  let bytes = objectBytes;
  for (const part of Object.values(record)) {
    if (typeof part !== "object" || part === null) {
      bytes += entryBytes + jsonMemory(part ?? null);
      continue;
    }
    const partBytes = known.get(part) ?? jsonMemory(part);
    known.set(part, partBytes);
    bytes += entryBytes + partBytes;
  }
  return bytes;
}

/** Estimates how many bytes a value takes in memory. */
export function jsonMemory(value: Json): number {
  let bytes = 0;
  const left: Json[] = [value];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one === "string") bytes += textBytes + one.length;
    else if (typeof one === "number") bytes += numberBytes;
    else if (typeof one !== "object" || one === null) continue;
    else if (Array.isArray(one)) {
      bytes += listBytes + itemBytes * one.length;
      for (const item of one) left.push(item);
    } else {
      bytes += objectBytes;
      for (const [key, item] of Object.entries(one)) {
        bytes += entryBytes + key.length;
        if (item !== undefined) left.push(item);
      }
    }
  }
  return bytes;
}
