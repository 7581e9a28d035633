import { hasControls } from "@resumable-mcp/protocol/display";
import { limits } from "../limits.js";

/** The forms of a random id, for messages. */
export const strongClientIdForms =
  "a version 4 UUID, 32 or more hexadecimal digits, or 43 or more base64url characters";

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const hex = /^(?=.*[0-9])(?=.*[a-f])([0-9a-f]{32,}|[0-9A-F]{32,})$/i;
const base64url = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{43,}$/;

/** A random id has fewer with a probability below one in a million. */
const minDistinctCharacters = 8;
/** So many steps of one size in a row are a sequence. A random id of 32 digits has them with a probability below one in a million. */
const stepsOfSequence = 8;
/** Characters of what is repeated. */
const maxGroup = 32;
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Words of placeholders and of names of machines. */
const words =
  /admin|anonymous|changeme|client|default|desktop|example|insert|laptop|localhost|macbook|office|password|placeholder|replace|runner|secret|server|session|station|thinkpad|ubuntu|unknown|windows/i;

/** The first 16 characters, without dashes, of what stands in documents and of hashes of nothing and of such words. */
const known: ReadonlySet<string> = new Set(
  [
    // MD5, SHA-1 and SHA-2 of nothing, "test", "admin", "user", "client", "password", "hello" and "123456".
    "d41d8cd98f00b204 da39a3ee5e6b4b0d d14a028c2a3a2bc9 e3b0c44298fc1c14 38b060a751ac9638 cf83e1357eefb8bd",
    "098f6bcd4621d373 a94a8fe5ccb19ba6 90a3ed9e32b2aaf4 9f86d081884c7d65 768412320f7b0aa5 ee26b0dd4af7e749",
    "21232f297a57a5a7 d033e22ae348aeb5 58acb7acccce58ff 8c6976e5b5410415 9ca694a90285c034 c7ad44cbad762a5d",
    "ee11cbb19052e40b 12dea96fec205935 147ad31215fd5511 04f8996da763b7a9 46cb0934bc1afda5 b14361404c078ffd",
    "62608e08adc29a8d d2a04d71301a8915 192a06d20b1a067c 948fe603f61dc036 dccfe25e8c0d8b5b 85d7741af27f18cb",
    "5f4dcc3b5aa765d6 5baa61e4c9b93f3f d63dc919e201d7bc 5e884898da280471 a8b64babd0aca91a b109f3bbbc244eb8",
    "5d41402abc4b2a76 aaf4c61ddcc5e8a2 ea09ae9cc6768c50 2cf24dba5fb0a30e 59e1748777448c69 9b71d224bd62f378",
    "e10adc3949ba59ab 7c4a8d09ca3762af f8cdb04495ded476 8d969eef6ecad3c2 0a989ebc4a77b56a ba3253876aed6bc2",
    // SHA-256 and SHA-512 of nothing and "test" as base64url; the examples of RFC 7636.
    "47DEQpj8HBSa_TIm z4PhNX7vuL3xVChQ n4bQgYhMfWWaLqgx 7iaw3Ur350mqGo7j E9Melhoa2OwvFrEM dBjftJeZ4CVPmB92",
    // UUIDs of the documents of libraries, databases and Swagger.
    "550e8400e29b41d4 f47ac10b58cc4372 123e4567e89b42d3 9b1deb4d3b7d4bad 1b9d6bcdbbfd4b2d 110ec58aa0f24ac4",
    "109156bec4fb41ea 16fd2706839f433b 16fd2706841243bb 3fa85f6457174562 936da01f9abd4d9d c9bf9e5716854c89",
  ].flatMap((line) => line.toLowerCase().split(" ")),
);

/** What is said of one that has them. */
export const unseenInClientId = "The client_id has control characters, or others that cannot be seen.";

/** Tells whether a text can be a `client_id` at all: operators read it in lists and logs. */
export function isClientId(text: string): boolean {
  return text.length <= limits.maxClientIdLength && !hasControls(text);
}

/**
 * Tells whether a self-asserted `client_id` has the form of random bits, so that it can be an owner of its own.
 *
 * Accepted are a version 4 UUID (the other versions hold a time or an address), 32 or more hexadecimal digits, and 43
 * or more base64url characters of both cases; sequences, placeholders and well-known values of these forms are not. The form
 * is an estimate: it keeps guessable ids from being owners, and cannot make an id secret that its owner tells others.
 */
export function isStrongClientId(clientId: string): boolean {
  if (clientId.length > limits.maxClientIdLength) return false;
  if (![uuidV4, hex, base64url].some((form) => form.test(clientId)) || words.test(clientId)) return false;
  const characters = clientId.replaceAll("-", "").toLowerCase();
  if (new Set(characters).size < minDistinctCharacters || known.has(characters.slice(0, 16))) return false;
  return !holdsSequence(characters);
}

/** Whether characters repeat, or follow each other in the alphabet, alone or in groups: `0123`, `001122`, `deaddead`. */
function holdsSequence(characters: string): boolean {
  const places = [...characters].map((character) => alphabet.indexOf(character));
  for (let group = 1; group <= Math.min(maxGroup, places.length / 2); group++) {
    for (let index = group, last = Number.NaN, steps = 0; index < places.length; index++) {
      const step = (places[index] ?? 0) - (places[index - group] ?? 0);
      steps = step === last ? steps + 1 : 1;
      last = step;
      if (steps >= stepsOfSequence) return true;
    }
  }
  return false;
}
