import { isResumableError } from "@resumable-mcp/core";
import type { CountedGroup, DocumentSummary, Documents } from "@resumable-mcp/core/store";
import { limits as allLimits, type SessionLimits } from "../../../limits.js";
import { callParamsKind, dropAllParams, sessionOfParams, touchParams } from "../calls/call-params.js";
import { openCallsIn, type StoredCall, sessionKind, streamOrderKind } from "../session-document.js";

/** What is known of a session that may end because nothing was done with it. */
interface MayBeUnused {
  readonly isUnused: boolean;
  readonly closed: boolean;
}

/** The sessions of this process that strangers opened and have not used, by their groups. */
export class UnusedSessions<Session extends MayBeUnused> {
  /** Oldest first. */
  readonly #groups = new Map<string, Set<Session>>();

  /** Adds one, and takes out the oldest of its group where there are more than `max`. */
  add(group: string, session: Session, max: number): Session | undefined {
    const sessions = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, sessions.add(session));
    if (sessions.size > max) this.#review(group, sessions);
    if (sessions.size <= max) return undefined;
    const [oldest] = sessions;
    // Not when it has ended: until then all that are opened meanwhile would find this one, and end no other.
    if (oldest !== undefined) sessions.delete(oldest);
    return oldest;
  }

  /** Forgets those that were used or have ended. */
  review(): void {
    for (const [group, sessions] of this.#groups) this.#review(group, sessions);
  }

  #review(group: string, sessions: Set<Session>): void {
    for (const session of sessions) if (session.closed || !session.isUnused) sessions.delete(session);
    if (sessions.size === 0) this.#groups.delete(group);
  }
}

/** What the room of sessions is made from. */
export interface SessionRoomOptions {
  readonly documents: Pick<Documents, "getDocument" | "listIdleDocuments" | "deleteDocument">;
  readonly limits: Pick<SessionLimits, "makeRoomAfterMs">;
  /** Whether this process has the session in memory. */
  readonly isLive: (sessionId: string) => boolean;
}

/**
 * What becomes of callers that have as many sessions as they may have: those that were not used for longest end.
 *
 * Limits: a hundredth of the group's sessions at once, at most `maxRoomBatch`, and none that was used within `makeRoomAfterMs`.
 */
export class SessionRoom {
  readonly #options: SessionRoomOptions;
  /** Groups that were full a moment ago, and when, in monotonic milliseconds: to count them costs more than to refuse. */
  readonly #full = new Map<string, number>();
  readonly #making = new Map<string, Promise<boolean>>();

  constructor(options: SessionRoomOptions) {
    this.#options = options;
  }

  isFull(group: string): boolean {
    const fullAtMs = this.#full.get(group) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - fullAtMs < allLimits.countAgainMs;
  }

  noteFull(group: string): void {
    this.#full.set(group, performance.now());
  }

  /** Sessions have ended, of whatever group. */
  forget(): void {
    this.#full.clear();
  }

  /** Makes room in a full group, once for all that ask at the same time. @returns whether there is any now. */
  make({ group, max }: CountedGroup): Promise<boolean> {
    const making =
      this.#making.get(group) ??
      this.#end(group, Math.min(Math.ceil(max / 100), allLimits.maxRoomBatch)).finally(() =>
        this.#making.delete(group),
      );
    this.#making.set(group, making);
    return making;
  }

  async #end(group: string, count: number): Promise<boolean> {
    const { documents, limits, isLive } = this.#options;
    const { kind } = sessionKind;
    const idleSinceMs = Date.now() - limits.makeRoomAfterMs;
    const listed = await documents.listIdleDocuments({ kind, group, idleSinceMs, limit: allLimits.maxRoomBatch });
    const read = await Promise.all(
      listed.filter(({ id }) => !isLive(id)).map(async (one) => ({ id: one.id, ...(await readIdle(documents, one)) })),
    );
    const idle = read.filter(({ isIdle }) => isIdle);
    // A caller may still come back for what is not over.
    const free = idle.filter(({ calls }) => calls?.length === 0);
    const ended = (free.length > 0 ? free : idle).slice(0, count);
    await Promise.all(ended.map(({ id, calls }) => removeSession(documents, id, calls)));
    return ended.length > 0;
  }
}

/** Removes what sessions left that were not used since then; those that this process has in memory stay. */
export async function removeIdle(
  documents: Documents,
  idleSinceMs: number,
  isLive: (sessionId: string) => boolean,
): Promise<void> {
  const { expireBatch, expireParamsBatch } = allLimits;
  for (const kind of [sessionKind.kind, streamOrderKind]) {
    for (const listed of await documents.listIdleDocuments({ kind, idleSinceMs, limit: expireBatch })) {
      const { id } = listed;
      if (isLive(id)) continue;
      const { isIdle, calls } = await readIdle(documents, listed);
      if (!isIdle) continue;
      if (kind === sessionKind.kind) await removeSession(documents, id, calls);
      else await documents.deleteDocument(kind, id);
    }
  }
  // What a process left that died between two writes. Each may be as large as a message.
  const list = { kind: callParamsKind, idleSinceMs, limit: expireParamsBatch };
  for (const { id } of await documents.listIdleDocuments(list)) await expireParams(documents, id);
}

/** What is known of a listed document right before it is removed. Another process may have used it since it was listed. */
async function readIdle(
  documents: Pick<Documents, "getDocument">,
  { kind, id, version }: DocumentSummary,
): Promise<{ readonly isIdle: boolean; readonly calls: readonly StoredCall[] | undefined }> {
  const document = await documents.getDocument(kind, id).catch(unreadable);
  if (document === "unreadable") return { isIdle: true, calls: undefined };
  return { isIdle: document?.version === version, calls: openCallsIn(document?.value ?? null) };
}

/** Removes a session, and the params of its open calls. */
export async function removeSession(
  documents: Pick<Documents, "deleteDocument">,
  sessionId: string,
  calls: readonly StoredCall[] | undefined,
): Promise<void> {
  await documents.deleteDocument(sessionKind.kind, sessionId);
  await dropAllParams(documents, calls);
}

/** The open calls of a stored session; `undefined` where it cannot be read, which must not keep it from its end. */
async function readOpenCalls(
  documents: Pick<Documents, "getDocument">,
  sessionId: string,
): Promise<readonly StoredCall[] | undefined> {
  const session = await documents.getDocument(sessionKind.kind, sessionId).catch(unreadable);
  if (session === undefined) return [];
  return session === "unreadable" ? undefined : openCallsIn(session.value);
}

/** Not where the store is away for a moment. */
function unreadable(error: unknown): "unreadable" {
  if (isResumableError(error, "DOCUMENT_UNREADABLE")) return "unreadable";
  throw error;
}

/** Params serve for as long as their call is open. */
async function expireParams(documents: Documents, callId: string): Promise<void> {
  const params = await documents.getDocument(callParamsKind, callId).catch(unreadable);
  const isReadable = params !== undefined && params !== "unreadable";
  const calls = isReadable ? await readOpenCalls(documents, sessionOfParams(params.value)) : [];
  const mayBeOpen = calls === undefined || calls.some((call) => call.callId === callId);
  if (mayBeOpen) await touchParams(documents, callId);
  else await documents.deleteDocument(callParamsKind, callId);
}
