import { parseQuestionId, type RpcId } from "@resumable-mcp/protocol";

/** What to do with a question that a server asks its client. */
export type Relayed<Message> =
  /** The client has not seen it: show it. */
  | { readonly kind: "show" }
  /** It was shown, and its answer is still to come; `here`: by this very process, so the answer cannot be lost. */
  | { readonly kind: "wait"; readonly here: boolean }
  /** Its answer came already. */
  | { readonly kind: "answered"; readonly message: Message };

/**
 * Keeps questions to the client apart from the server process that asks them: a question is shown once, though the
 * process that asked is replaced, and an answer that comes in between waits for the next one to ask.
 *
 * Limits: at most `maxQuestions` are remembered; the oldest go first. Source: MCP, Elicitation.
 */
export class QuestionRelay<Message> {
  readonly #maxQuestions: number;
  readonly #shown = new Set<string>();
  readonly #early = new Map<string, Message>();
  /** Answers that a server was given, which may have died before it wrote them down. */
  readonly #given = new Map<string, Message>();
  readonly #asking = new Map<string, Set<RpcId>>();

  constructor(maxQuestions = 1_000) {
    this.#maxQuestions = maxQuestions;
  }

  /** A request asks. `seen`: the client may have been shown the question by a process before this one. */
  ask(wireId: string, innerId: RpcId, seen: boolean): Relayed<Message> {
    const early = this.#early.get(wireId);
    if (early !== undefined) {
      this.#early.delete(wireId);
      this.#given.set(wireId, early);
      return { kind: "answered", message: early };
    }
    const here = this.#shown.has(wireId);
    this.#asking.set(wireId, (this.#asking.get(wireId) ?? new Set()).add(innerId));
    this.#shown.add(wireId);
    drop(this.#shown, this.#maxQuestions);
    return here || seen ? { kind: "wait", here } : { kind: "show" };
  }

  /** An answer came: gives the requests that asked for it. Without one the answer is kept. */
  answer(wireId: string, message: Message): readonly RpcId[] {
    const asking = this.#asking.get(wireId);
    this.#asking.delete(wireId);
    this.#shown.delete(wireId);
    const isAsked = asking !== undefined && asking.size > 0;
    const kept = isAsked ? this.#given : this.#early;
    kept.set(wireId, message);
    drop(kept, this.#maxQuestions);
    return isAsked ? [...asking] : [];
  }

  /** An answer came and could not be stored: that the question was shown here no longer means that its answer will come. */
  unanswered(wireId: string): void {
    this.#shown.delete(wireId);
  }

  isWaiting(wireId: string): boolean {
    return (this.#asking.get(wireId)?.size ?? 0) > 0;
  }

  /** The request of this id asks no longer. Gives the question's id when no other request asks. */
  withdraw(innerId: RpcId): string | undefined {
    for (const [wireId, asking] of this.#asking) {
      if (!asking.delete(innerId)) continue;
      if (asking.size > 0) return undefined;
      this.#asking.delete(wireId);
      return wireId;
    }
    return undefined;
  }

  /** The question is closed: it was shown for the last time. */
  forget(wireId: string): void {
    this.#shown.delete(wireId);
    this.#asking.delete(wireId);
  }

  /** The task went on after its answers, so they are in its journal. */
  answersWritten(taskId: string): void {
    for (const wireId of this.#given.keys()) if (parseQuestionId(wireId)?.taskId === taskId) this.#given.delete(wireId);
  }

  /** The server process has ended, with all that it asked, and perhaps with answers that it was given. */
  reset(): void {
    this.#asking.clear();
    for (const [wireId, message] of this.#given) this.#early.set(wireId, message);
    this.#given.clear();
  }
}

function drop(items: Set<string> | Map<string, unknown>, max: number): void {
  for (const key of items.keys()) {
    if (items.size <= max) return;
    items.delete(key);
  }
}
