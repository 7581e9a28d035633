import { isJsonObject, isResumableError, ResumableError, type Store } from "@resumable-mcp/core";
import { BoundedCache, sealDocuments } from "@resumable-mcp/core/internal";
import { deriveKey, keyBytes, newKeyBytes, openBytes, sealBytes } from "./cipher.js";
import type { Keyring } from "./keyring.js";

/**
 * A store's own keys, in base64url. They are one document of the store, sealed under a key of the keyring: that can be replaced
 * without a change of what the store's keys have sealed.
 */
interface Keys {
  /** The key of names, which stays as long as the store. */
  readonly names: string;
  /** Data keys, by the id of the keyring's key for which each was made. New values are sealed under that of the present key. */
  readonly data: { readonly [keyId: string]: string };
}

/** Keys, the id of the keyring's key under which they are sealed, and the version of their document. */
interface SealedKeys {
  readonly keys: Keys;
  readonly by: string;
  readonly version: number;
}

/** What reads and puts a store's keys. A store that is only read takes none: nothing is made then. */
export type KeyDocuments = Pick<Store, "getDocument" | "countTasks"> & Partial<Pick<Store, "putDocument">>;

/** The form of the document. */
const form = 2;
const place = "resumable-mcp keys of a store";

/** The keys of a store, as long as a process has them open. */
export class StoreKeys {
  /** How often a data key was asked for that is not there. */
  misses = 0;
  readonly #documents: KeyDocuments;
  readonly #keyring: Keyring;
  #keys: Keys = { names: "", data: {} };
  readonly #derived = new BoundedCache<Buffer>({ maxEntries: 2_000, maxBytes: 1_000_000 });

  constructor(documents: KeyDocuments, keyring: Keyring) {
    this.#documents = documents;
    this.#keyring = keyring;
  }

  /**
   * Reads the keys, and makes what is missing: all keys of a store that is empty, or the present data key.
   *
   * @throws {@link ResumableError} `KEY_MISSING`, `STORE_NOT_ENCRYPTED`; what a store throws.
   */
  async load(): Promise<void> {
    this.#keys = await readOrMake(this.#documents, this.#keyring);
  }

  /** Adds the data keys that other processes have made since. */
  async refresh(): Promise<void> {
    const sealed = await read(this.#documents, this.#keyring);
    this.#keys = { ...this.#keys, data: { ...sealed?.keys.data, ...this.#keys.data } };
  }

  /** The id of the data key that seals. */
  get sealing(): string {
    return this.#keyring.sealing;
  }

  get names(): Buffer {
    return Buffer.from(this.#keys.names, "base64url");
  }

  /** A key for values of one purpose, derived from a data key; `undefined` where that is not there. */
  forValues(keyId: string, purpose: string): Buffer | undefined {
    const known = this.#derived.get(keyId + purpose);
    if (known !== undefined) return known;
    const data = this.#keys.data[keyId];
    if (data === undefined) {
      this.misses += 1;
      return undefined;
    }
    const derived = deriveKey(Buffer.from(data, "base64url"), purpose);
    this.#derived.set(keyId + purpose, derived, keyBytes + purpose.length);
    return derived;
  }
}

/**
 * Seals a store's own keys under the present key of a keyring. Values stay as they are. Safe while servers run, and to repeat.
 *
 * @returns how many were sealed again, and how many were sealed under that key already.
 * @throws {@link ResumableError} `KEY_MISSING`, `STORE_NOT_ENCRYPTED`.
 */
export async function resealKeys(
  documents: KeyDocuments,
  keyring: Keyring,
): Promise<{ readonly resealed: number; readonly present: number }> {
  for (;;) {
    const sealed = await read(documents, keyring);
    if (sealed === undefined) throw notEncrypted((await documents.countTasks({})).total);
    const count = 1 + Object.keys(sealed.keys.data).length;
    if (sealed.by === keyring.sealing) return { resealed: 0, present: count };
    if (await put(documents, keyring, sealed.keys, sealed.version)) return { resealed: count, present: 0 };
  }
}

/** Of several processes that make keys at the same time, one does, and all use those. */
async function readOrMake(documents: KeyDocuments, keyring: Keyring): Promise<Keys> {
  for (;;) {
    const sealed = await read(documents, keyring);
    const keys = sealed?.keys ?? (await firstKeys(documents));
    if (documents.putDocument === undefined || keys.data[keyring.sealing] !== undefined) return keys;
    const more = { ...keys, data: { ...keys.data, [keyring.sealing]: newKey() } };
    if (await put(documents, keyring, more, sealed?.version ?? 0)) return more;
  }
}

/** Only a store without tasks begins to be encrypted: what is readable among what is not could have been put there. */
async function firstKeys(documents: KeyDocuments): Promise<Keys> {
  const { total } = await documents.countTasks({});
  if (total > 0 || documents.putDocument === undefined) throw notEncrypted(total);
  return { names: newKey(2 * keyBytes), data: {} };
}

function notEncrypted(tasks: number): ResumableError {
  const next =
    tasks === 0
      ? "A server that begins with the keyring encrypts what comes"
      : "Export the tasks, and import them with the keyring into a new store";
  return new ResumableError(
    "STORE_NOT_ENCRYPTED",
    `The store is not encrypted and holds ${tasks} tasks, and a keyring was given. Nothing was changed. ${next}; or leave the keyring out.`,
    { details: { tasks } },
  );
}

function newKey(bytes = keyBytes): string {
  return newKeyBytes(bytes).toString("base64url");
}

async function read(documents: KeyDocuments, keyring: Keyring): Promise<SealedKeys | undefined> {
  const document = await documents.getDocument(sealDocuments.kind, sealDocuments.first);
  if (document === undefined) return undefined;
  const { value, version } = document;
  if (!isJsonObject(value) || value.form !== form || typeof value.by !== "string" || typeof value.key !== "string")
    throw damaged(`they do not have the form ${form}, which this version knows`);
  const json = openBytes(keyring.require(value.by), place, Buffer.from(value.key, "base64url"));
  if (json === undefined) throw damaged("they were changed");
  // What opens was sealed by `put`.
  return { keys: JSON.parse(json.toString()) as Keys, by: value.by, version };
}

/** @returns false where another process put its own meanwhile. */
async function put(documents: KeyDocuments, keyring: Keyring, keys: Keys, expectedVersion: number): Promise<boolean> {
  const by = keyring.sealing;
  const key = sealBytes(keyring.require(by), place, JSON.stringify(keys)).toString("base64url");
  const { kind, first: id } = sealDocuments;
  // No clock counts for this document.
  const now = { wallMs: 0, monotonicMs: 0 };
  try {
    await documents.putDocument?.({ kind, id, owner: "local:keys", value: { form, by, key }, expectedVersion, now });
    return true;
  } catch (error) {
    if (isResumableError(error, "DOCUMENT_CONFLICT")) return false;
    throw error;
  }
}

function damaged(reason: string): ResumableError {
  return new ResumableError(
    "STORE_READ_FAILED",
    `The keys of the encrypted store cannot be read: ${reason}. Nothing was changed. Restore the document "${sealDocuments.first}" of the kind ${sealDocuments.kind} from a backup.`,
    { details: { path: sealDocuments.kind, reason } },
  );
}
