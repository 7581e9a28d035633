import { randomBytes } from "node:crypto";
import { isJsonObject, isResumableError, type Store, type StoredSession } from "@resumable-mcp/core";

const keySessionId = "resumable-mcp-request-state-key";
const keyOwner = "server:request-state";
/** Idle sessions are swept, so a key in use says so now and then. */
const refreshEveryMs = 60 * 60 * 1000;

/** Gives the key that signs request states. */
export type SigningKey = () => Promise<Uint8Array>;

/**
 * Keeps the signing key in the store, so that every process on that store, and the next one, accepts the same states.
 *
 * The key is made at its first use; nothing touches the store before.
 */
export function storedSigningKey(store: Store): SigningKey {
  const kept = keys.get(store) ?? loadOnce(store);
  keys.set(store, kept);
  return kept;
}

const keys = new WeakMap<Store, SigningKey>();

function loadOnce(store: Store): SigningKey {
  let known: { readonly key: Uint8Array; readonly untilMs: number } | undefined;
  let loading: Promise<Uint8Array> | undefined;
  const load = async (): Promise<Uint8Array> => {
    const key = await readOrMakeKey(store);
    known = { key, untilMs: Date.now() + refreshEveryMs };
    return key;
  };
  return () => {
    if (known !== undefined && known.untilMs > Date.now()) return Promise.resolve(known.key);
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
}

async function readOrMakeKey(store: Store): Promise<Uint8Array> {
  const stored = await store.getSession(keySessionId);
  const key = keyOf(stored) ?? randomBytes(32);
  try {
    await store.putSession({
      id: keySessionId,
      owner: keyOwner,
      value: { key: Buffer.from(key).toString("base64url") },
      expectedVersion: stored?.version ?? 0,
      now: { wallMs: Date.now(), monotonicMs: performance.now() },
    });
    return key;
  } catch (error) {
    if (!isResumableError(error, "SESSION_CONFLICT")) throw error;
    // Another process was faster: its key counts.
    return readOrMakeKey(store);
  }
}

function keyOf(stored: StoredSession | undefined): Uint8Array | undefined {
  const text = isJsonObject(stored?.value) ? stored.value.key : undefined;
  return typeof text === "string" ? Buffer.from(text, "base64url") : undefined;
}
