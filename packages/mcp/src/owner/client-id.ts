import { readsLikeWords } from "./reads-like-words.js";

/** Longest `client_id`, in characters, however it is sent. */
export const maxClientIdLength = 256;
/** Shortest `client_id` that identifies the owner of a local request, in characters. */
export const minLocalClientIdLength = 8;

/** The forms of a random id of 128 bits, for messages. */
export const strongClientIdForms =
  "a version 4 UUID, 32 or more hexadecimal digits, or 22 or more base64url characters";

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const hex = /^(?=.*[0-9])([0-9a-f]{32,}|[0-9A-F]{32,})$/;
const base64url = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{22,}$/;
/** A random id of 22 characters or more has fewer with a probability below one in a million. */
const minDistinctCharacters = 8;

/**
 * Tells whether a self-asserted `client_id` has the form of 128 random bits, so that it can be an owner of its own.
 *
 * Accepted are a version 4 UUID (the other versions hold a time or an address), 32 or more hexadecimal digits, and 22
 * or more base64url characters of both cases that do not read like words. The form is an estimate: it keeps host and
 * user names from being owners, and cannot make an id secret that its owner tells others.
 */
export function isStrongClientId(clientId: string): boolean {
  if (clientId.length > maxClientIdLength || new Set(clientId).size < minDistinctCharacters) return false;
  if (uuidV4.test(clientId)) return true;
  if (hex.test(clientId)) return /[a-f]/i.test(clientId);
  return base64url.test(clientId) && !readsLikeWords(clientId);
}
