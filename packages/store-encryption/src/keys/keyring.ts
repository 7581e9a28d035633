import { createHash } from "node:crypto";
import { ResumableError } from "@resumable-mcp/core";
import { keyBytes } from "./cipher.js";

/**
 * Keys by which stores are encrypted: one seals, all open. The id of a key is made from it, so that the wrong key never passes
 * for the right one.
 *
 * It is safe to log: what prints an object shows ids alone.
 */
export class Keyring {
  /** The id of the key that seals: 16 hexadecimal digits, not secret. */
  readonly sealing: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  constructor(sealing: Buffer, others: readonly Buffer[]) {
    this.sealing = makeKeyId(sealing);
    this.#keys = new Map([sealing, ...others].map((key) => [makeKeyId(key), key]));
  }

  /** The ids of all keys. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** @throws {@link ResumableError} `KEY_MISSING`. */
  require(id: string): Buffer {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    throw new ResumableError(
      "KEY_MISSING",
      `The keyring does not have the key ${id}, under which the store's own keys are sealed. Nothing was changed. Add that key to the keyring: a line that begins with "open".`,
      { details: { keyId: id } },
    );
  }
}

/**
 * Makes a keyring out of keys of 32 random bytes each, as a key service gives them out.
 *
 * @param keys.seal the key under which a store's own keys are sealed from now on.
 * @param keys.open further keys, which only open: those of before, and those to come.
 * @throws {@link ResumableError} `INVALID_OPTION` for a key that is not 32 bytes long.
 */
export function createKeyring(keys: { readonly seal: Uint8Array; readonly open?: readonly Uint8Array[] }): Keyring {
  return new Keyring(copyKey(keys.seal), (keys.open ?? []).map(copyKey));
}

function copyKey(given: Uint8Array): Buffer {
  const bytes = Buffer.from(given);
  if (bytes.length === keyBytes) return bytes;
  throw invalidKeyring(`A key is ${keyBytes} bytes long, and one of the keyring has ${bytes.length}.`);
}

/** The id of a key: a hash of it, shortened. */
export function makeKeyId(bytes: Buffer): string {
  return createHash("sha256").update("resumable-mcp key id").update(bytes).digest("hex").slice(0, 16);
}

/** A keyring that cannot be used. */
export function invalidKeyring(message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option: "keyring" } });
}
