import { isFinal, isResumableError, type TaskView } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import { limits } from "../limits.js";
import type { AskedQuestion, Call } from "./call.js";
import { journalMessage, readSeq, type Shown, toNotification } from "./journal-message.js";

/** How following a task for a caller ended. */
export interface CallEnding {
  /** `left`: the caller left, and the answer reaches no one. */
  readonly reason: "finished" | "paused" | "input_required" | "timeout" | "left";
  readonly view: TaskView;
  /** The caller was shown the task's events up to this one. */
  readonly seenSeq: number;
}

/**
 * Tells a caller what happens to a task until it finished, stands still, or the time is over.
 *
 * @param begun the task as it was read last: it is read again only after an event that may have stopped it.
 *
 * Ordering: by seq, only events behind `call.meta.afterSeq`, without gap or repeat; all of them before a result.
 * Cancellation: `call.signal` ends the following, never the task.
 */
export async function followCall(call: Call, begun: TaskView, timeoutMs: number | undefined): Promise<CallEnding> {
  const { id: taskId, tool, total, lastSeq } = begun.record;
  const { afterSeq, shownProgress, progressToken } = call.meta;
  const stop = new AbortController();
  // A longer delay would fire at once; the caller is asked to come back after 24 days.
  const delayMs = Math.min(timeoutMs ?? 0, limits.maxTimerMs);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort("timeout"), delayMs);
  const asked = call.asked === undefined ? [] : [call.asked];
  const asking = createAsking(call, taskId, () => stop.abort("asking failed"));
  let shown: Shown = { total, progress: shownProgress };
  let seenSeq = afterSeq;
  let mayStand = standsStill(begun) !== undefined;
  const endNow = async (): Promise<CallEnding | undefined> => {
    const view = await call.tasks.get(taskId);
    if (seenSeq < view.record.lastSeq) return undefined;
    mayStand = false;
    const still = standsStill(view);
    const isAsked = still !== "finished" && still !== "paused" && asking.begin(view);
    return still === undefined || isAsked ? undefined : { reason: call.signal.aborted ? "left" : still, view, seenSeq };
  };
  const show = async (signal: AbortSignal, untilSeq: number): Promise<CallEnding | undefined> => {
    const lookBackSeq = Math.max(0, seenSeq - limits.lookBackEvents);
    for await (const followed of call.tasks.follow(taskId, { afterSeq: lookBackSeq, signal })) {
      asking.heard(followed);
      const mapped = journalMessage(followed, shown, taskId);
      shown = mapped.shown;
      const seq = readSeq(followed);
      if (seq <= seenSeq) continue;
      const { message } = mapped;
      const isWanted = message !== undefined && (message.kind !== "log" || call.wantsLog(message.level));
      const notification = isWanted ? toNotification(message, { taskId, tool, progressToken }) : undefined;
      if (notification !== undefined) await call.notify(notification);
      seenSeq = seq;
      // What was before `begun` was read cannot have stopped it since.
      mayStand ||= seq > lastSeq && mayStop(followed);
      const ending = mayStand ? await endNow() : undefined;
      if (ending !== undefined || seq >= untilSeq) return ending;
    }
    return undefined;
  };
  try {
    let ending = mayStand && afterSeq >= lastSeq ? await endNow() : undefined;
    ending ??= await show(AbortSignal.any([call.signal, stop.signal, ...asked]), Number.POSITIVE_INFINITY);
    if (ending !== undefined) return ending;
    const view = await call.tasks.get(taskId);
    // The time ended together with the task.
    if (isFinal(view.status) && seenSeq < view.record.lastSeq) await show(call.signal, view.record.lastSeq);
    const other = call.asked?.aborted === true ? "input_required" : "timeout";
    return { reason: call.signal.aborted ? "left" : (standsStill(view) ?? other), view, seenSeq };
  } finally {
    clearTimeout(timer);
    asking.stop();
  }
}

function standsStill({ status }: TaskView): "finished" | "paused" | "input_required" | undefined {
  if (isFinal(status)) return "finished";
  return status === "paused" || status === "input_required" ? status : undefined;
}

/** After these the task may stand still, and only its present record can tell. */
function mayStop(followed: Followed): boolean {
  if (followed.kind === "snapshot") return true;
  return ["asked", "answered", "desiredState", "attempt_ended"].includes(followed.event.type);
}

interface Asking {
  /** Notes where in the journal a question was asked: that stays the same when it is asked again. */
  heard(followed: Followed): void;
  /** Asks what is open and not being asked yet. False when the client cannot ask its user. */
  begin(view: TaskView): boolean;
  stop(): void;
}

function createAsking(call: Call, taskId: string, onFailure: () => void): Asking {
  const open = new Map<string, AbortController>();
  const askedAt = new Map<string, number>();
  let able = call.ask !== undefined;
  const askOne = async (question: AskedQuestion, signal: AbortSignal): Promise<void> => {
    try {
      const answer = await call.ask?.(taskId, question, signal);
      if (answer !== undefined) await call.tasks.answer(taskId, question.key, answer);
    } catch (error) {
      if (signal.aborted || isResumableError(error, "ALREADY_ANSWERED")) return;
      if (isAnswerLost(error)) {
        await untilAskedAgain(signal);
        return signal.aborted ? undefined : askOne(question, signal);
      }
      // The question stays open; the result says how else to answer it.
      able = false;
      onFailure();
    }
  };
  return {
    heard(followed) {
      if (followed.kind === "event" && followed.event.type === "asked") {
        askedAt.set(followed.event.key, followed.event.seq);
      }
    },
    begin(view) {
      const { questions } = view;
      for (const [key, controller] of open) {
        if (!questions.some((question) => question.key === key)) controller.abort("answered");
      }
      if (!able) return false;
      for (const question of questions.filter(({ key }) => !open.has(key))) {
        const controller = new AbortController();
        open.set(question.key, controller);
        // One that is not among the events that were looked at was asked before them.
        const seq = askedAt.get(question.key) ?? Math.min(call.meta.afterSeq, view.record.lastSeq);
        void askOne({ ...question, seq }, controller.signal);
      }
      return true;
    },
    stop() {
      for (const controller of open.values()) controller.abort("left");
    },
  };
}

/** Tells whether an answer was not stored because the store could not write, so that its question is still open. */
export function isAnswerLost(error: unknown): boolean {
  return isResumableError(error, "STORE_WRITE_FAILED");
}

/** Resolves when the question is to be shown again, or when there is no caller to show it to. */
export function untilAskedAgain(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : limits.askAgainMs);
    signal.addEventListener("abort", done);
  });
}
