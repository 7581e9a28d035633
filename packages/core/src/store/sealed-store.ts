import { ResumableError } from "../errors.js";
import type { Store } from "./store.js";

/** The kind of the documents that hold the keys of an encrypted store, and the id of the first one, which each such store has. */
export const sealDocuments = { kind: "seal", first: "store" } as const;

/**
 * Refuses a store whose contents are encrypted, where it is used without its keys: what it gives out would be nonsense, and
 * what it takes would be readable among what is not. An encrypted store hides these documents.
 *
 * @throws {@link ResumableError} `STORE_ENCRYPTED`.
 */
export async function refuseEncrypted(store: Pick<Store, "getDocument">): Promise<void> {
  if ((await store.getDocument(sealDocuments.kind, sealDocuments.first)) === undefined) return;
  throw new ResumableError(
    "STORE_ENCRYPTED",
    "The store is encrypted, and no keyring was given. Nothing was read or written. Give the keyring: --keyring FILE, or withEncryption in a program.",
    { details: {} },
  );
}
