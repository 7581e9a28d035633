import { isJsonObject, isResumableError, type Json, ResumableError, type Store } from "@resumable-mcp/core";
import { BoundedCache, sealDocuments } from "@resumable-mcp/core/internal";
import type { Instant, StoredDocument } from "@resumable-mcp/core/store";
import { deriveKey, keyBytes, newKeyBytes, openBytes, sealBytes } from "./cipher.js";
import type { Keyring } from "./keyring.js";

/**
 * A store's own keys, as documents of the store. Each is sealed under a key of the keyring, so that the keyring's key can be
 * replaced without a change of what the store's keys have sealed.
 *
 * - `store`: the id of the store, and the key of names, which stays as long as the store.
 * - `data-ID`: the data key that was made under the keyring's key ID. New values are sealed under that of the present key.
 */
export type KeyDocuments = Pick<Store, "getDocument" | "listIdleDocuments" | "countTasks"> & {
  /** Absent where a store is only read: then nothing is made. */
  readonly putDocument?: Store["putDocument"];
};

/** Where documents of keys are written to, as no clock counts for them. */
const now: Instant = { wallMs: 0, monotonicMs: 0 };
/** Of both kinds of times that stores know, the latest that any of them can hold. */
const anyTimeMs = 8.64e15;
/** One for each key of the keyring that ever sealed. */
const maxDataKeys = 1_000;
const owner = "local:keys";

/** A value was sealed under a data key that this process has not read yet. */
export class UnknownDataKey extends Error {
  readonly keyId: string;

  constructor(keyId: string) {
    super(`The data key ${keyId} was not read yet.`);
    this.keyId = keyId;
  }
}

/** What the keys of a store are, as long as a process has them open. */
export class StoreKeys {
  readonly storeId: string;
  /** The id of the data key that seals. */
  readonly sealing: string;
  readonly #documents: KeyDocuments;
  readonly #keyring: Keyring;
  readonly #names: Buffer;
  readonly #data = new Map<string, Buffer>();
  /** Data keys that were asked for and are not there. */
  #absent: ReadonlySet<string> = new Set();
  readonly #derived = new BoundedCache<Buffer>({ maxEntries: 2_000, maxBytes: 1_000_000 });

  private constructor(documents: KeyDocuments, keyring: Keyring, first: { storeId: string; names: Buffer }) {
    this.storeId = first.storeId;
    this.sealing = keyring.sealing;
    this.#documents = documents;
    this.#keyring = keyring;
    this.#names = first.names;
  }

  /**
   * Opens the keys of a store, and makes those of a store that is empty.
   *
   * @throws {@link ResumableError} `KEY_MISSING`, `STORE_NOT_ENCRYPTED`; what a store throws.
   */
  static async load(documents: KeyDocuments, keyring: Keyring): Promise<StoreKeys> {
    const keys = new StoreKeys(documents, keyring, await loadFirst(documents, keyring));
    for (const document of await keyDocuments(documents)) keys.#take(document);
    if (documents.putDocument !== undefined && !keys.#data.has(keyring.sealing))
      await keys.#makeDataKey(keyring.sealing);
    return keys;
  }

  /** Reads a data key that another process has made since. @returns whether it is there. @throws {@link ResumableError} `KEY_MISSING`. */
  async fetch(keyId: string): Promise<boolean> {
    const document = await this.#documents.getDocument(sealDocuments.kind, dataId(keyId));
    if (document !== undefined) this.#take(document);
    return document !== undefined;
  }

  /** Runs what opens values; what names one of these keys does not open. */
  without<Result>(absent: ReadonlySet<string>, open: () => Result): Result {
    this.#absent = absent;
    try {
      return open();
    } finally {
      this.#absent = new Set();
    }
  }

  /** A key for new values. */
  forSealing(purpose: string): Buffer {
    const key = this.forValues(this.sealing, purpose);
    if (key === undefined) throw new UnknownDataKey(this.sealing);
    return key;
  }

  /** A key for values, derived from a data key; `undefined` where that is known not to be there. @throws {@link UnknownDataKey}. */
  forValues(keyId: string, purpose: string): Buffer | undefined {
    const data = this.#data.get(keyId);
    if (data !== undefined) return this.#derive(data, `${keyId} ${purpose}`, keyBytes);
    if (this.#absent.has(keyId)) return undefined;
    throw new UnknownDataKey(keyId);
  }

  /** Whether a data key was asked for and is not there. */
  isAbsent(keyId: string): boolean {
    return this.#absent.has(keyId);
  }

  /** A key for names: one half is for their nonces. */
  forNames(purpose: string): Buffer {
    return this.#derive(this.#names, `names ${purpose}`, 2 * keyBytes);
  }

  #derive(key: Buffer, purpose: string, bytes: number): Buffer {
    const known = this.#derived.get(purpose);
    if (known !== undefined) return known;
    const derived = deriveKey(key, this.storeId, purpose, bytes);
    this.#derived.set(purpose, derived, bytes);
    return derived;
  }

  #take({ id, value }: StoredDocument): void {
    const keyId = /^data-([0-9a-f]{16})$/.exec(id)?.[1];
    if (keyId !== undefined) this.#data.set(keyId, unwrap(this.#keyring, this.storeId, id, value));
  }

  async #makeDataKey(keyId: string): Promise<void> {
    const id = dataId(keyId);
    const value = wrap(this.#keyring, this.storeId, id, newKeyBytes());
    this.#take(await putFirst(this.#documents, id, value));
  }
}

/**
 * Seals a store's own keys under the present key of a keyring. Values stay as they are. Safe while servers run, and to repeat.
 *
 * @returns how many were sealed again, and how many were sealed under that key already.
 * @throws {@link ResumableError} `KEY_MISSING`, `STORE_NOT_ENCRYPTED`; keys that come before stay sealed under the present key.
 */
export async function resealKeys(
  documents: Required<KeyDocuments>,
  keyring: Keyring,
): Promise<{ readonly resealed: number; readonly present: number }> {
  const { putDocument: _, ...read } = documents;
  const { storeId } = await loadFirst(read, keyring);
  let resealed = 0;
  let present = 0;
  for (const document of await keyDocuments(documents)) {
    if (await reseal(documents, keyring, storeId, document)) resealed += 1;
    else present += 1;
  }
  return { resealed, present };
}

async function reseal(
  documents: Required<KeyDocuments>,
  keyring: Keyring,
  storeId: string,
  { kind, id, value, version }: StoredDocument,
): Promise<boolean> {
  if (sealedBy(value) === keyring.sealing) return false;
  const again = wrap(keyring, storeId, id, unwrap(keyring, storeId, id, value));
  await documents.putDocument({ kind, id, owner, value: again, expectedVersion: version, now });
  return true;
}

/** The id of the document that holds a data key. */
export const dataId = (keyId: string): string => `data-${keyId}`;

async function keyDocuments(documents: KeyDocuments): Promise<readonly StoredDocument[]> {
  const { kind } = sealDocuments;
  const listed = await documents.listIdleDocuments({ kind, idleSinceMs: anyTimeMs, limit: maxDataKeys });
  const read = await Promise.all(listed.map(({ id }) => documents.getDocument(kind, id)));
  return read.filter((document) => document !== undefined);
}

async function loadFirst(documents: KeyDocuments, keyring: Keyring): Promise<{ storeId: string; names: Buffer }> {
  const id = sealDocuments.first;
  const { value } = (await documents.getDocument(sealDocuments.kind, id)) ?? (await makeFirst(documents, keyring));
  const storeId = isJsonObject(value) ? value.storeId : undefined;
  if (typeof storeId !== "string") throw damaged("the first of them has no id of the store");
  return { storeId, names: unwrap(keyring, storeId, id, value) };
}

/** Only a store without tasks begins to be encrypted: what is readable among what is not could have been put there. */
async function makeFirst(documents: KeyDocuments, keyring: Keyring): Promise<StoredDocument> {
  const { total } = await documents.countTasks({});
  if (total > 0 || documents.putDocument === undefined) {
    const next =
      total === 0
        ? "A server that begins with the keyring encrypts what comes"
        : "Export the tasks, and import them with the keyring into a new store";
    throw new ResumableError(
      "STORE_NOT_ENCRYPTED",
      `The store is not encrypted and holds ${total} tasks, and a keyring was given. Nothing was changed. ${next}; or leave the keyring out.`,
      { details: { tasks: total } },
    );
  }
  const storeId = newKeyBytes().toString("hex");
  return putFirst(documents, sealDocuments.first, wrap(keyring, storeId, sealDocuments.first, newKeyBytes()));
}

/** Of several processes that make one at the same time, one does, and all use that. */
async function putFirst(documents: KeyDocuments, id: string, value: Json): Promise<StoredDocument> {
  const { kind } = sealDocuments;
  if (documents.putDocument === undefined) throw damaged(`${id} is not there`);
  try {
    return await documents.putDocument({ kind, id, owner, value, expectedVersion: 0, now });
  } catch (error) {
    const there = isResumableError(error, "DOCUMENT_CONFLICT") ? await documents.getDocument(kind, id) : undefined;
    if (there === undefined) throw error;
    return there;
  }
}

function placeOf(storeId: string, id: string): string {
  return JSON.stringify(["key", storeId, id]);
}

function wrap(keyring: Keyring, storeId: string, id: string, key: Buffer): Json {
  const place = placeOf(storeId, id);
  const wrapping = deriveKey(keyring.require(keyring.sealing), storeId, place);
  return { version: 1, storeId, by: keyring.sealing, key: sealBytes(wrapping, place, key).toString("base64url") };
}

function unwrap(keyring: Keyring, storeId: string, id: string, value: Json): Buffer {
  const sealed = isJsonObject(value) ? value.key : undefined;
  if (typeof sealed !== "string") throw damaged(`${id} has no key`);
  const place = placeOf(storeId, id);
  const wrapping = deriveKey(keyring.require(sealedBy(value)), storeId, place);
  const key = openBytes(wrapping, place, Buffer.from(sealed, "base64url"));
  if (key?.length === keyBytes) return key;
  throw damaged(`${id} was changed, or belongs to another store`);
}

function sealedBy(value: Json): string {
  const by = isJsonObject(value) ? value.by : undefined;
  if (typeof by === "string") return by;
  throw damaged("one does not say under which key it is sealed");
}

function damaged(reason: string): ResumableError {
  return new ResumableError(
    "STORE_READ_FAILED",
    `The keys of the encrypted store cannot be read: ${reason}. Nothing was changed. Restore the documents of the kind ${sealDocuments.kind} from a backup.`,
    { details: { path: sealDocuments.kind, reason } },
  );
}
