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
  return copy(value, what, [], new Set());
}

function copy(value: unknown, what: string, path: readonly (string | number)[], above: Set<object>): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refuse(what, path, String(value));
    return Object.is(value, -0) ? 0 : value;
  }
  if (typeof value !== "object") throw refuse(what, path, typeof value);
  if (above.has(value)) throw refuse(what, path, "a reference to itself");
  above.add(value);
  const result = Array.isArray(value)
    ? Array.from(value, (item: unknown, index) => copy(item, what, [...path, index], above))
    : copyObject(value, what, path, above);
  above.delete(value);
  return result;
}

function copyObject(value: object, what: string, path: readonly (string | number)[], above: Set<object>): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refuse(what, path, `an instance of ${value.constructor?.name ?? "a class"}`);
  }
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const copied = copy(item, what, [...path, key], above);
    // A plain assignment to "__proto__" would set the prototype instead of a property.
    Object.defineProperty(result, key, { value: copied, enumerable: true, writable: true, configurable: true });
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

function refuse(what: string, path: readonly (string | number)[], found: string): ResumableError {
  const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
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
