import { limits } from "../../../limits.js";
import { randomToken } from "../../../owner/random-token.js";
import { openCalls, type SessionDocument, type SessionFacts, type StoredCall } from "../session-document.js";

/** Tells whether this process delivers a call now. */
type Delivers = (callId: string) => boolean;

/**
 * Finds the open calls of one session that no process delivers: their process died, or their client never came back.
 *
 * No process knows the others. Where such calls may fill half of the session, a process writes a doubt at each open call
 * that it does not deliver. The process that delivers the call takes the doubt away when it reads the session next, at the
 * latest after `checkSessionMs`. A doubt holds after `doubtChecks` such times; a process writes doubts at most once in that time.
 */
export class AbandonedCalls {
  readonly #document: SessionDocument;
  readonly #delivers: Delivers;
  readonly #maxOpenCalls: number;
  readonly #holdsAfterMs: number;
  /** When this process wrote doubts last, in monotonic milliseconds. */
  #askedMs = Number.NEGATIVE_INFINITY;
  /** When this process read each doubt first, in monotonic milliseconds. */
  #readMs: ReadonlyMap<string, number> = new Map();

  constructor(
    document: SessionDocument,
    { maxOpenCalls, checkSessionMs }: { readonly maxOpenCalls: number; readonly checkSessionMs: number },
    delivers: Delivers,
  ) {
    this.#document = document;
    this.#delivers = delivers;
    this.#maxOpenCalls = maxOpenCalls;
    this.#holdsAfterMs = limits.doubtChecks * checkSessionMs;
  }

  /** Takes away and writes doubts, after the session was read. Durability: as of `change`. */
  async review(): Promise<void> {
    const doubt = this.#beginAsking() ? randomToken(9) : undefined;
    const review = (call: StoredCall) => this.#reviewed(call, doubt);
    if (openCalls(this.#document.value).some((call) => review(call) !== call)) {
      await this.#document.change((facts) => ({ ...facts, calls: facts.calls.map(review) }));
    }
    const doubts = new Set(openCalls(this.#document.value).flatMap((call) => call.doubt ?? []));
    const nowMs = performance.now();
    this.#readMs = new Map([...doubts].map((each) => [each, this.#readMs.get(each) ?? nowMs]));
  }

  /** Whether doubts may be written now; they count as written then. */
  #beginAsking(): boolean {
    if (performance.now() - this.#askedMs < this.#holdsAfterMs) return false;
    const others = openCalls(this.#document.value).filter(({ callId }) => !this.#delivers(callId));
    if (others.length * 2 < this.#maxOpenCalls) return false;
    this.#askedMs = performance.now();
    return true;
  }

  #reviewed(call: StoredCall, doubt: string | undefined): StoredCall {
    if (call.end !== undefined) return call;
    if (this.#delivers(call.callId)) return call.doubt === undefined ? call : { ...call, doubt: undefined };
    return call.doubt === undefined && doubt !== undefined ? { ...call, doubt } : call;
  }

  /** Calls that no process delivers, oldest first. */
  list(): readonly StoredCall[] {
    const heldMs = performance.now() - this.#holdsAfterMs;
    return openCalls(this.#document.value).filter(({ callId, doubt }) => {
      const readMs = doubt === undefined ? undefined : this.#readMs.get(doubt);
      return readMs !== undefined && readMs <= heldMs && !this.#delivers(callId);
    });
  }
}

/** Removes those calls of a list of which the doubt was not taken away meanwhile. Pure. */
export function withoutAbandoned(facts: SessionFacts, abandoned: readonly StoredCall[]): SessionFacts {
  const doubts = new Map(abandoned.map(({ callId, doubt }) => [callId, doubt]));
  const removed = facts.calls.filter(({ callId, doubt }) => doubt !== undefined && doubts.get(callId) === doubt);
  const forgotten = [...(facts.forgotten ?? []), ...removed.map(({ callId }) => callId)].slice(
    -limits.maxForgottenCalls,
  );
  return { ...facts, calls: facts.calls.filter((call) => !removed.includes(call)), forgotten };
}
