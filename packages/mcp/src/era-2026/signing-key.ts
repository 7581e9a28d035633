import { randomBytes } from "node:crypto";
import { type Documents, isJsonObject, isResumableError } from "@resumable-mcp/core";
import type { StoredDocument } from "@resumable-mcp/core/store";

const place = { kind: "signing-key", id: "request-state" } as const;

/** Gives the key that signs request states. */
export type SigningKey = () => Promise<Uint8Array>;

/**
 * Keeps the signing key in the store, so that every process on that store, and the next one, accepts the same states.
 *
 * The key is made at its first use; nothing touches the store before.
 */
export function storedSigningKey(documents: Documents): SigningKey {
  const kept = keys.get(documents) ?? loadOnce(documents);
  keys.set(documents, kept);
  return kept;
}

const keys = new WeakMap<Documents, SigningKey>();

function loadOnce(documents: Documents): SigningKey {
  let known: Uint8Array | undefined;
  let loading: Promise<Uint8Array> | undefined;
  const load = async (): Promise<Uint8Array> => {
    known = await readOrMakeKey(documents);
    return known;
  };
  return () => {
    if (known !== undefined) return Promise.resolve(known);
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
}

async function readOrMakeKey(documents: Documents): Promise<Uint8Array> {
  const stored = keyOf(await documents.getDocument(place.kind, place.id));
  if (stored !== undefined) return stored;
  const key = randomBytes(32);
  const value = { key: Buffer.from(key).toString("base64url") };
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  try {
    await documents.putDocument({ ...place, owner: "server:request-state", value, expectedVersion: 0, now });
    return key;
  } catch (error) {
    if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    // Another process was faster: its key counts.
    return readOrMakeKey(documents);
  }
}

function keyOf(stored: StoredDocument | undefined): Uint8Array | undefined {
  const text = isJsonObject(stored?.value) ? stored.value.key : undefined;
  return typeof text === "string" ? Buffer.from(text, "base64url") : undefined;
}
