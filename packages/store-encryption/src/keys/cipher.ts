import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/** AES-256-GCM. Source: NIST SP 800-38D. */
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Every key of this package, in bytes; one for names is two of them. */
export const keyBytes = 32;

/**
 * Seals bytes so that they can only be opened under the same key and in the same place. A random nonce must not come twice
 * under a key: after 2^32 uses the chance is 2^-33. The callers derive keys that are used less often.
 */
export function sealBytes(key: Buffer, place: string, plain: string | Uint8Array, nonce: Buffer = nextNonce()): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([
    nonce,
    typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** Random bytes that are fetched many at a time: one call of the generator for each nonce costs more than the nonce's use. */
let randomPool = Buffer.alloc(0);

function nextNonce(): Buffer {
  if (randomPool.length === 0) randomPool = randomBytes(512 * nonceBytes);
  const nonce = randomPool.subarray(0, nonceBytes);
  randomPool = randomPool.subarray(nonceBytes);
  return nonce;
}

/** Opens what {@link sealBytes} sealed; `undefined` where key, place or bytes are not those. */
export function openBytes(key: Buffer, place: string, sealed: Buffer): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  const plain = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
}

/**
 * Seals a text so that the same text gives the same bytes in the same place: for names by which a store finds things. The
 * nonce is a MAC of the text, so that it comes twice only where the text does.
 *
 * @param key two keys: for the nonce, and for the text.
 */
export function sealAlike(key: Buffer, place: string, text: string): Buffer {
  return sealBytes(key.subarray(keyBytes), place, text, nonceOf(key, place, text));
}

/** Opens what {@link sealAlike} sealed. */
export function openAlike(key: Buffer, place: string, sealed: Buffer): string | undefined {
  const text = openBytes(key.subarray(keyBytes), place, sealed)?.toString();
  // Another nonce gives another name of the same text, which its writer did not make.
  return text !== undefined && nonceOf(key, place, text).equals(sealed.subarray(0, nonceBytes)) ? text : undefined;
}

function nonceOf(key: Buffer, place: string, text: string): Buffer {
  const mac = createHmac("sha256", key.subarray(0, keyBytes));
  return mac
    .update(`${Buffer.byteLength(place)} ${place}`)
    .update(text)
    .digest()
    .subarray(0, nonceBytes);
}

/** Derives a key of its own for a purpose from a key of random bytes. */
export function deriveKey(key: Buffer, purpose: string): Buffer {
  return createHmac("sha256", key).update(purpose).digest();
}

/** A new key. */
export function newKeyBytes(bytes = keyBytes): Buffer {
  return randomBytes(bytes);
}
