import { isResumableError } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { storeFaults } from "@resumable-mcp/protocol";
import type { SessionLimits } from "../../../limits.js";
import type { SessionDocument } from "../session-document.js";
import { removeIdle } from "./session-room.js";

/** A session in memory, as a sweep sees it. */
interface SweptSession {
  readonly busy: boolean;
  readonly isUnused: boolean;
  readonly lastUsedMs: number;
  readonly document: Pick<SessionDocument, "writtenMs" | "change" | "refresh">;
}

/** The sessions of one endpoint, and what a sweep does with them. */
export interface SweepOptions<Session extends SweptSession> {
  readonly documents: Documents;
  readonly limits: SessionLimits;
  /** Those in memory, without those that are still being rebuilt. */
  readonly live: () => readonly Session[];
  /** Whether this process has the session in memory, or is about to. */
  readonly isLive: (sessionId: string) => boolean;
  /** Takes a session out of memory. */
  readonly forget: (session: Session) => Promise<void>;
  /** Ends a session that nothing was done with. */
  readonly endUnused: (session: Session) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * What is done with sessions now and then: idle ones leave memory, those in use are written, and what was not used for long is
 * removed.
 *
 * What is wrong with one session hinders no other one. While the store is away, each step ends at its first refusal.
 */
export class SessionSweep<Session extends SweptSession> {
  readonly #options: SweepOptions<Session>;
  #running: Promise<void> | undefined;

  constructor(options: SweepOptions<Session>) {
    this.#options = options;
  }

  /** Sweeps, or joins the sweep that is under way. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves when no sweep is under way. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #sweep(): Promise<void> {
    const { documents, limits, isLive, onError } = this.#options;
    await this.#evict().catch(onError);
    await this.#keepInUse().catch(onError);
    await removeIdle(documents, Date.now() - limits.sessionTtlMs, isLive).catch(onError);
  }

  async #evict(): Promise<void> {
    const { idleMs, maxLiveSessions } = this.#options.limits;
    const sessions = this.#options.live();
    const idle = sessions.filter(({ busy }) => !busy).sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    const surplus = sessions.length - maxLiveSessions;
    const nowMs = performance.now();
    const out = idle.filter(({ lastUsedMs }, index) => index < surplus || nowMs - lastUsedMs > idleMs);
    await this.#each(out, (session) => this.#putOut(session));
  }

  async #putOut(session: Session): Promise<void> {
    const { endUnused, forget } = this.#options;
    if (session.isUnused) return endUnused(session);
    const { lastUsedMs } = session;
    // The write also says when the session was last used.
    await session.document.change((facts) => facts);
    if (!session.busy && session.lastUsedMs === lastUsedMs) await forget(session);
  }

  /** Other processes remove what was not written for `sessionTtlMs`, where room is wanted for `makeRoomAfterMs`. */
  async #keepInUse(): Promise<void> {
    const { sessionTtlMs, makeRoomAfterMs } = this.#options.limits;
    const againMs = Math.min(sessionTtlMs / 4, makeRoomAfterMs / 2);
    const nowMs = performance.now();
    const due = this.#options.live().filter(({ busy, lastUsedMs, document: { writtenMs } }) => {
      return (busy || lastUsedMs > writtenMs) && nowMs - writtenMs >= againMs;
    });
    await this.#each(due, ({ document }) => document.change((facts) => facts));
  }

  /** Does something with each session. @throws what a store says that is away. */
  async #each(sessions: readonly Session[], act: (session: Session) => Promise<void>): Promise<void> {
    for (const session of sessions) {
      try {
        await act(session);
      } catch (error) {
        if (isResumableError(error, ...storeFaults)) throw error;
        await this.#giveUp(session, error);
      }
    }
  }

  /** Another process has ended the session, or wrote what this one cannot read: nothing can be written of it here. */
  async #giveUp(session: Session, error: unknown): Promise<void> {
    const { forget, onError } = this.#options;
    const hasEnded = isResumableError(error, "DOCUMENT_CONFLICT") && !(await session.document.refresh());
    if (!hasEnded) onError(error);
    if (hasEnded || !session.busy) await forget(session).catch(onError);
  }
}
