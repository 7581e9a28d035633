import type { CountedGroup, Documents } from "@resumable-mcp/core/store";
import { limits as allLimits, type SessionLimits } from "../../limits.js";
import { type SessionFacts, sessionKind } from "./session-document.js";

/** What the room of sessions is made from. */
export interface SessionRoomOptions {
  readonly documents: Pick<Documents, "listIdleDocuments" | "deleteDocument">;
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
    const { kind, read } = sessionKind;
    const idleSinceMs = Date.now() - limits.makeRoomAfterMs;
    const listed = await documents.listIdleDocuments({ kind, group, idleSinceMs, limit: allLimits.maxRoomBatch });
    const idle = listed.filter(({ id }) => !isLive(id));
    // A caller may still come back for what is not over.
    const free = idle.filter(({ value }) => !hasOpenCall(read(value)));
    const ended = (free.length > 0 ? free : idle).slice(0, count);
    await Promise.all(ended.map(({ id }) => documents.deleteDocument(kind, id)));
    return ended.length > 0;
  }
}

function hasOpenCall({ calls }: SessionFacts): boolean {
  return calls.some(({ end }) => end === undefined);
}
