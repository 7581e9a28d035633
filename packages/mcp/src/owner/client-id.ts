import { hasControls } from "@resumable-mcp/protocol/display";
import { limits } from "../limits.js";

/** The forms of a random id, for messages. */
export const strongClientIdForms =
  "a version 4 UUID, 32 or more hexadecimal digits, or 43 or more base64url characters";

const forms = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
  /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{32,}$/i,
  /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{43,}$/,
];
/** A random id has fewer with a probability below one in a million. */
const minDistinctCharacters = 8;

/** What is said of one that has them. */
export const unseenInClientId = "The client_id has control characters, or others that cannot be seen.";

/** Tells whether a text can be a `client_id` at all: operators read it in lists and logs. */
export function isClientId(text: string): boolean {
  return text.length <= limits.maxClientIdLength && !hasControls(text);
}

/**
 * Tells whether a self-asserted `client_id` has the form of random bits, so that it can be an owner of its own.
 *
 * Accepted are a version 4 UUID (the other versions hold a time or an address), 32 or more hexadecimal digits with letters
 * among them, and 43 or more base64url characters of both cases, of at least 8 different characters each. The form cannot
 * make an id secret that its owner tells others, or that it did not draw at random.
 */
export function isStrongClientId(clientId: string): boolean {
  if (clientId.length > limits.maxClientIdLength || !forms.some((form) => form.test(clientId))) return false;
  return new Set(clientId.toLowerCase().replaceAll("-", "")).size >= minDistinctCharacters;
}
