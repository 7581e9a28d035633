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

/** Letters of English text in a thousand, from `a` to `z`. Source: Lewand, Cryptological Mathematics (2000). */
const letterFrequencies = [
  81.7, 14.9, 27.8, 42.5, 127, 22.3, 20.2, 60.9, 69.7, 1.5, 7.7, 40.3, 24.1, 67.5, 75.1, 19.3, 0.95, 59.9, 63.3, 90.6,
  27.6, 9.8, 23.6, 1.5, 19.7, 0.74,
];

type Kind = "lower" | "upper" | "digit" | "sign";
type Shares = Readonly<Record<Kind, number>>;

/** How often each kind of character follows another in names such as `Johns-MacBook-Pro`. */
const inNames: Readonly<Record<Kind | "start", Shares>> = {
  start: { lower: 0.35, upper: 0.6, digit: 0.04, sign: 0.01 },
  lower: { lower: 0.72, upper: 0.14, digit: 0.05, sign: 0.09 },
  upper: { lower: 0.8, upper: 0.12, digit: 0.02, sign: 0.06 },
  digit: { lower: 0.1, upper: 0.2, digit: 0.55, sign: 0.15 },
  sign: { lower: 0.2, upper: 0.6, digit: 0.19, sign: 0.01 },
};
const inRandomIds: Shares = { lower: 26 / 64, upper: 26 / 64, digit: 10 / 64, sign: 2 / 64 };

/** Of 16 random bytes as base64url, fewer than one in ten thousand reads like words by so much. */
const leastEvidenceBits = 8;

/**
 * Tells whether a text of base64url characters reads like words rather than like random bytes: compares how likely
 * names and random bytes are to give its letters and its sequence of small and capital letters, digits and signs.
 */
export function readsLikeWords(text: string): boolean {
  let bits = 0;
  let before: Kind | "start" = "start";
  for (const character of text) {
    const kind = kindOf(character);
    bits += Math.log2(inNames[before][kind] / inRandomIds[kind]) + letterBits(character);
    before = kind;
  }
  return bits >= leastEvidenceBits;
}

function kindOf(character: string): Kind {
  if (character >= "a" && character <= "z") return "lower";
  if (character >= "A" && character <= "Z") return "upper";
  return character >= "0" && character <= "9" ? "digit" : "sign";
}

function letterBits(character: string): number {
  const frequency = letterFrequencies[character.toLowerCase().charCodeAt(0) - "a".charCodeAt(0)];
  return frequency === undefined ? 0 : Math.log2((frequency / 1000) * letterFrequencies.length);
}
