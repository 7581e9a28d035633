import type { Answer, Engine, OpenQuestion, OwnedTasks } from "@resumable-mcp/core";
import type { CallMeta } from "./call-meta.js";
import type { Notification } from "./journal-message.js";

/** A call of a tool, whatever era it came by. */
export interface Call {
  readonly engine: Engine;
  /** The caller's own tasks. */
  readonly tasks: OwnedTasks;
  readonly meta: CallMeta;
  readonly clientId?: string;
  readonly sessionId?: string;
  readonly requestId: string | number;
  /** Aborts when the caller has left or has cancelled its request. */
  readonly signal: AbortSignal;
  /** How the caller left, once `signal` aborted. */
  left(): "cancelled" | "gone";
  /** Sends a notification that belongs to this call; resolves when there is room for the next. */
  notify(notification: Notification): Promise<void>;
  /** Asks the user through the client; absent where the client cannot. */
  readonly ask?: (taskId: string, question: AskedQuestion, signal: AbortSignal) => Promise<Answer>;
  /** Whether messages of this level are wanted. */
  wantsLog(level: string): boolean;
  /** After how many milliseconds a call of this tool has to be answered; `undefined`: no limit. */
  handoffAfterMs(toolHandoffAfterMs: number | undefined): number | undefined;
  /**
   * Notes that the answer to this call carries what a task came to. It counts as delivered once the connection accepted
   * the answer while it was open, and no longer when the call is cancelled afterwards.
   */
  carryResult(taskId: string): void;
  /** The name under which a control tool is offered here. */
  controlToolName(name: string): string;
}

/** A question with the place of the journal at which it is put to the user. */
export interface AskedQuestion extends OpenQuestion {
  readonly seq: number;
}
