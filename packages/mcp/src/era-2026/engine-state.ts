import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, isJsonObject, isResumableError } from "@resumable-mcp/core";
import type { Documents, StoredDocument } from "@resumable-mcp/core/store";
import { hearCallers } from "../call/result-delivered.js";
import { limits2026 } from "../limits.js";

/** Gives the key that signs request states. */
export type SigningKey = () => Promise<Uint8Array>;

/** What all servers of one engine have in common, and the handler in front of them. */
interface EngineState {
  /** Answers of calls that are still being made. */
  readonly answers: Set<Promise<unknown>>;
  readonly signingKey: SigningKey;
}

const states = new WeakMap<Engine, EngineState>();

function stateOf(engine: Engine): EngineState {
  const state = states.get(engine) ?? { answers: new Set(), signingKey: loadOnce(engine.documents) };
  states.set(engine, state);
  return state;
}

/** Notes that an answer is being made. */
export function noteAnswer<Answer>(engine: Engine, answer: Promise<Answer>): Promise<Answer> {
  const { answers } = stateOf(engine);
  answers.add(answer);
  const forget = () => answers.delete(answer);
  answer.then(forget, forget);
  return answer;
}

/**
 * Resolves when the calls that a draining engine sends away have been answered: a client whose
 * stream is cut without an answer waits until its own time limit. At once when the engine does not drain.
 *
 * Limits: `drainAnswersMs`.
 */
export async function lastAnswers(engine: Engine): Promise<void> {
  if (!engine.draining) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limits2026.drainAnswersMs);
  });
  await Promise.race([Promise.allSettled(stateOf(engine).answers), tooLate]);
  clearTimeout(timer);
  // A result is sent after its caller was heard once more, and is written by the end of the turn.
  await hearCallers();
  await nextTurn();
}

const place = { kind: "signing-key", id: "request-state" } as const;

/**
 * The signing key that is kept in the store, so that every process on that store, and the next one, accepts the same states.
 *
 * The key is made at its first use; nothing touches the store before.
 */
export function storedSigningKey(engine: Engine): SigningKey {
  return stateOf(engine).signingKey;
}

/** Loads again after a failure. */
function loadOnce(documents: Documents): SigningKey {
  let loading: Promise<Uint8Array> | undefined;
  return () => {
    loading ??= readOrMakeKey(documents).catch((error: unknown) => {
      loading = undefined;
      throw error;
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
