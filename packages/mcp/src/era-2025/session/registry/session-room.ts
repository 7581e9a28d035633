import { isResumableError } from "@resumable-mcp/core";
import type { CountedGroup, DocumentSummary, Documents } from "@resumable-mcp/core/store";
import { limits as allLimits, type SessionLimits } from "../../../limits.js";
import { callParamsKind } from "../calls/call-params.js";
import { sessionKind, streamOrderKind } from "../session-document.js";

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
      listed.filter(({ id }) => !isLive(id)).map(async (one) => ((await isStillIdle(documents, one)) ? [one.id] : [])),
    );
    const ended = read.flat().slice(0, count);
    await Promise.all(ended.map((id) => documents.deleteDocument(kind, id)));
    return ended.length > 0;
  }
}

/** Removes what sessions left that were not used since then; those that this process has in memory stay. */
export async function removeIdle(
  documents: Documents,
  idleSinceMs: number,
  isLive: (sessionId: string) => boolean,
): Promise<void> {
  for (const kind of [sessionKind.kind, streamOrderKind, callParamsKind]) {
    for (const listed of await documents.listIdleDocuments({ kind, idleSinceMs, limit: allLimits.expireBatch })) {
      if (!isLive(listed.id) && (await isStillIdle(documents, listed))) await documents.deleteDocument(kind, listed.id);
    }
  }
}

/** Whether a listed document was not written since. Another process may have used it; one that cannot be read is idle. */
async function isStillIdle(
  documents: Pick<Documents, "getDocument">,
  { kind, id, version }: DocumentSummary,
): Promise<boolean> {
  try {
    return (await documents.getDocument(kind, id))?.version === version;
  } catch (error) {
    // Not where the store is away for a moment.
    if (isResumableError(error, "DOCUMENT_UNREADABLE")) return true;
    throw error;
  }
}
