import { ResumableError } from "./errors.js";

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object with string keys. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * Copies a value as JSON, refusing whatever would not survive being stored.
 *
 * `undefined` properties of objects are dropped and `-0` becomes 0, as `JSON.stringify` does; everything else that JSON
 * would change in silence (`NaN`, `Infinity`, `Date`, `Map`, `Set`, `undefined` in arrays, class instances,
 * functions, symbols, bigints, cycles) is refused, so that a tool fails in its first run and not after a crash.
 *
 * @throws {@link ResumableError} `NOT_JSON` with the path of the first offending value.
 */
export function copyJson(value: unknown, what: string): Json {
  return copy(value, what, "", undefined);
}

/** An object or list of which something is copied, its key in the one above it, and that one. */
interface Container {
  readonly value: object;
  readonly key: string | number;
  readonly above: Container | undefined;
}

/** Every checkpoint is copied several times: only what contains something costs an object more than its copy. */
function copy(value: unknown, what: string, key: string | number, above: Container | undefined): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refuse(what, key, above, String(value));
    return value === 0 ? 0 : value;
  }
  if (typeof value !== "object") throw refuse(what, key, above, typeof value);
  for (let outer = above; outer !== undefined; outer = outer.above) {
    if (outer.value === value) throw refuse(what, key, above, "a reference to itself");
  }
  const container: Container = { value, key, above };
  return Array.isArray(value) ? copyList(value, what, container) : copyObject(value, what, container);
}

function copyList(list: readonly unknown[], what: string, container: Container): Json {
  const result: Json[] = [];
  for (let index = 0; index < list.length; index += 1) result.push(copy(list[index], what, index, container));
  return result;
}

function copyObject(value: object, what: string, container: Container): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const name = `an instance of ${value.constructor?.name ?? "a class"}`;
    throw refuse(what, container.key, container.above, name);
  }
  // Any object has strings for keys.
  const given = value as Readonly<Record<string, unknown>>;
  const result: Record<string, Json> = {};
  for (const key of Object.keys(given)) {
    const item = given[key];
    if (item === undefined) continue;
    const copied = copy(item, what, key, container);
    if (key !== "__proto__") result[key] = copied;
    // A plain assignment would set the prototype instead of a property.
    else Object.defineProperty(result, key, { value: copied, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

/**
 * Copies a value that came from a caller and freezes the copy, so that neither side can change the other's.
 *
 * @throws {@link ResumableError} `NOT_JSON`, as {@link copyJson}.
 */
export function isolate<Value>(value: Value, what: string): Value {
  // The copy of a JSON value has the type of that value.
  return deepFreeze(copyJson(value, what)) as Value;
}

/** Makes a value safe to be given out more than once. What is frozen already is taken as frozen to its depth. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object") deepFreeze(inner);
  }
  return Object.freeze(value);
}

function refuse(what: string, key: string | number, above: Container | undefined, found: string): ResumableError {
  let place = "";
  let last = key;
  for (let at = above; at !== undefined; at = at.above) {
    place = `${typeof last === "number" ? `[${last}]` : `.${last}`}${place}`;
    last = at.key;
  }
  return new ResumableError(
    "NOT_JSON",
    `${what}${place} is ${found}, which JSON cannot represent. Convert it first, for example to a string or a number.`,
    { details: { what, path: place } },
  );
}

/** Serialises JSON with sorted keys, so that equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}

/** Tells whether a JSON value is an object (and not an array or `null`). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The size of a JSON value in bytes of UTF-8. */
export function jsonBytes(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

/**
 * Measures how many characters the JSON text of a value has at least: what JSON escapes counts as one. Makes neither text nor
 * copies, and stops beyond `enough`.
 */
export function lengthAtLeast(value: unknown, enough: number): number {
  let length = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && length <= enough) {
    const one = left.pop();
    length += 1;
    if (typeof one === "string") length += one.length + 1;
    else if (Array.isArray(one)) {
      length += Math.max(1, one.length);
      for (const item of one) left.push(item);
    } else if (typeof one === "object" && one !== null) {
      const entries = Object.entries(one);
      length += Math.max(1, entries.length);
      for (const [key, item] of entries) {
        length += key.length + 3;
        left.push(item);
      }
    }
  }
  return length;
}
