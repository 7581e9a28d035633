import { canonicalJson, type Json } from "../../json.js";

/**
 * Hashes what "the same call" means: SHA-256 over tool and canonical input, as 64 hexadecimal digits.
 *
 * @param run names one of several runs of the same call.
 */
export async function taskKey(tool: string, meaning: Json, run?: string): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(run === undefined ? [tool, meaning] : [tool, meaning, run]));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Makes an id of 128 random bits: 32 hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
