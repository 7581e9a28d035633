import {
  type Documents,
  isJsonObject,
  isResumableError,
  type Json,
  type JsonObject,
  ResumableError,
} from "@resumable-mcp/core";
import type { StoredDocument } from "@resumable-mcp/core/store";
import { metaKeys } from "@resumable-mcp/protocol";
import { z } from "zod";
import { limits } from "../../limits.js";

const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

const storedCall = z.object({
  callId: z.string(),
  /** The id by which the client knows the request. */
  requestId: z.union([z.string(), z.number()]),
  kind: z.enum(["journal", "again"]),
  /** Absent for `tools/call`. */
  method: z.literal("tasks/result").optional(),
  params: jsonObject,
  /** The task that the call joined, where that is not the call's own. */
  taskId: z.string().optional(),
  /** The place of the last event of a finished call. */
  end: z.number().optional(),
});

const sessionDocument = z.object({
  protocolVersion: z.string(),
  /** Params of the client's `initialize` request. */
  initialize: jsonObject,
  /** Params of its last `logging/setLevel` request. */
  logLevel: jsonObject.optional(),
  /** The client that the session named last: the caller of every request that names none. */
  clientId: z.string().optional(),
  /** A local request opened it. */
  local: z.boolean().optional(),
  /** Oldest first. */
  calls: z.array(storedCall),
});

/** An open call that survives a restart. */
export type StoredCall = z.output<typeof storedCall>;
/** What is kept of a session. */
export type SessionFacts = z.output<typeof sessionDocument>;
type Change = (facts: SessionFacts) => SessionFacts;

interface Stored {
  readonly facts: SessionFacts;
  readonly version: number;
  readonly updatedAtMs: number;
}

/** The kind of the documents that hold sessions. */
export const sessionKind = "session";
/** The kind of the documents that hold the order of a session's streams, by the session's id. */
export const streamOrderKind = "stream-order";

/**
 * The part of a session that survives a restart, as one document of the store.
 *
 * Durability: `change` resolves when the change is durable; changes made at once share one write. `note` waits for the
 * next write, or for `noteFlushMs`. Ordering: as made. Another process may write the same document: changes are made again on what it left.
 */
export class SessionDocument {
  readonly id: string;
  readonly owner: string;
  readonly #documents: Documents;
  #documentsd: Stored;
  #pending: Change[] = [];
  #writing: Promise<void> | undefined;
  #flushing: NodeJS.Timeout | undefined;

  private constructor(documents: Documents, session: Pick<StoredDocument, "id" | "owner">, stored: Stored) {
    this.id = session.id;
    this.owner = session.owner;
    this.#documents = documents;
    this.#documentsd = stored;
  }

  /** A session that is not in the store yet: its first change puts it there. */
  static draft(documents: Documents, id: string, owner: string, facts: SessionFacts): SessionDocument {
    return new SessionDocument(documents, { id, owner }, { facts, version: 0, updatedAtMs: 0 });
  }

  static async open(documents: Documents, id: string): Promise<SessionDocument | undefined> {
    const session = await documents.getDocument(sessionKind, id);
    return session === undefined ? undefined : new SessionDocument(documents, session, parse(session));
  }

  /** As changed by now, durable or not. */
  get facts(): SessionFacts {
    return this.#pending.reduce((facts, change) => change(facts), this.#documentsd.facts);
  }

  /** Writes what was only noted. */
  async flush(): Promise<void> {
    if (this.#pending.length > 0) await this.change((facts) => facts);
  }

  note(change: Change): void {
    this.#pending.push(change);
    this.#flushLater();
  }

  /** A full disk has room again some time: what cannot be written now is tried again then. */
  #flushLater(): void {
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      this.flush().catch((error: unknown) => {
        if (isResumableError(error, "STORE_WRITE_FAILED")) this.#flushLater();
      });
    }, limits.noteFlushMs).unref();
  }

  /** @throws {@link ResumableError} `STORE_WRITE_FAILED`; `DOCUMENT_CONFLICT` when the session was ended. */
  async change(change: Change): Promise<void> {
    this.#pending.push(change);
    await this.#writing?.catch(() => {});
    if (!this.#pending.includes(change)) return;
    try {
      // The first change after a write takes along all that gathered meanwhile.
      this.#writing ??= this.#write();
      await this.#writing;
    } catch (error) {
      this.#pending = this.#pending.filter((other) => other !== change);
      throw error;
    }
  }

  async #write(): Promise<void> {
    const changes = [...this.#pending];
    try {
      for (let conflicts = 0; ; conflicts++) {
        try {
          const facts = changes.reduce((before, change) => change(before), this.#documentsd.facts);
          const { version, updatedAt } = await put(this.#documents, this, facts, this.#documentsd.version);
          this.#documentsd = { facts, version, updatedAtMs: Date.parse(updatedAt) };
          this.#pending = this.#pending.filter((change) => !changes.includes(change));
          return;
        } catch (error) {
          if (!isResumableError(error, "DOCUMENT_CONFLICT") || conflicts >= limits.maxConflicts) throw error;
          await this.#reread();
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  async #reread(): Promise<void> {
    const session = await this.#documents.getDocument(sessionKind, this.id);
    if (session === undefined) {
      throw new ResumableError("DOCUMENT_CONFLICT", "The session was ended meanwhile. Open a new one.", {
        details: { kind: sessionKind, id: this.id },
      });
    }
    this.#documentsd = parse(session);
  }
}

function parse({ value, version, updatedAt }: StoredDocument): Stored {
  return { facts: sessionDocument.parse(value), version, updatedAtMs: Date.parse(updatedAt) };
}

function put(
  documents: Documents,
  { id, owner }: { id: string; owner: string },
  facts: SessionFacts,
  expectedVersion: number,
) {
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  // Absent properties are absent in JSON, too.
  return documents.putDocument({
    kind: sessionKind,
    id,
    owner,
    value: JSON.parse(JSON.stringify(facts)),
    expectedVersion,
    now,
  });
}

/**
 * What is kept of a finished call: enough to tell a client that comes late what came of it, and no more of what it was
 * called with. Nothing of a call that only runs again: its client sends it again. Pure.
 *
 * @param ofTool whether it called a tool that has a task, which is found by its id; the others speak about tasks.
 */
export function finishedCall(call: StoredCall, end: number, ofTool: boolean): StoredCall | undefined {
  if (call.kind === "again" && call.method === undefined) return undefined;
  const { arguments: given = {}, _meta = {}, name, taskId } = call.params;
  const { content: _answer, ...rest } = isJsonObject(given) ? given : {};
  const meta = pick(_meta, ["progressToken", metaKeys.clientId]);
  const params = {
    ...(name === undefined ? {} : { name, arguments: ofTool ? pick(given, ["client_id"]) : rest }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  return { ...call, params, end };
}

function pick(value: Json, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).filter(([key]) => keys.includes(key)));
}

/** Adds a call, or replaces what is known of it; of the finished ones only the newest stay. Pure. */
export function withCall(facts: SessionFacts, call: StoredCall, maxFinished: number): SessionFacts {
  const others = facts.calls.filter(({ callId }) => callId !== call.callId);
  const calls = [...others, call];
  const finished = calls.filter(({ end }) => end !== undefined);
  const dropped = new Set(finished.slice(0, Math.max(0, finished.length - maxFinished)));
  return { ...facts, calls: calls.filter((one) => !dropped.has(one)) };
}
