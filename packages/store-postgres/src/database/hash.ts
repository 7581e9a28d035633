import { createHash } from "node:crypto";

/** SHA-256 of a value as JSON: of half surrogates, which UTF-8 does not have, JSON makes distinct escapes. */
export function hashValue(value: unknown): Buffer {
  return createHash("sha256").update(JSON.stringify(value)).digest();
}

/** {@link hashValue} in hexadecimal. */
export function toHex(value: unknown): string {
  return hashValue(value).toString("hex");
}

/** The deduplication key of a call, or `null` for a call that joins no task. */
export function hashCall({ owner, key }: { readonly owner: string; readonly key: string | null }): Buffer | null {
  return key === null ? null : hashValue([owner, key]);
}

/** Tells whether a text can be the id of a task. */
export function isTaskId(id: string): boolean {
  return /^[A-Za-z0-9_-]{16,64}$/.test(id);
}
