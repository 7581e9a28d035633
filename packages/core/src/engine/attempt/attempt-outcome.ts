import type { InterruptReason } from "../../errors.js";
import type { Json } from "../../json.js";
import { openCalls } from "../../task/calls.js";
import { isFinalEvent, type TaskEventBody } from "../../task/task-event.js";
import type { Signal, TaskRecord } from "../../task/task-record.js";
import { answeredBy, requestedState } from "../../task/task-rules.js";
import type { Tool } from "../../tool/tool.js";
import { formatIso } from "../clock.js";
import { retryDelay, toThrown } from "../retry-delay.js";
import { outcomeUnknown, runsAgain } from "../runs-again.js";
import type { AttemptEnd } from "../telemetry.js";
import type { JournalEntry } from "./journal-writer.js";

/** How a tool's code came to its end in one attempt. */
export type AttemptOutcome =
  | { readonly kind: "returned"; readonly output: Json }
  | { readonly kind: "threw"; readonly error: unknown }
  /** It cannot read what the task is. */
  | { readonly kind: "refused"; readonly message: string }
  | {
      readonly kind: "stopped";
      readonly reason: InterruptReason;
      /** The code did not end within the grace time and may still be running. */
      readonly abandoned: boolean;
    };

/** What the end of an attempt depends on, in addition to its outcome. */
export interface EndInputs {
  readonly record: TaskRecord;
  /** What the task was before the attempt, and stays where the attempt refuses it. */
  readonly before: Pick<TaskRecord, "toolVersion" | "stateShape">;
  /** Signals that are pending, as far as the attempt knows. */
  readonly signals: readonly Signal[];
  readonly tool: Pick<Tool, "name" | "version" | "kind" | "durable" | "annotations" | "retry">;
  readonly nowMs: number;
  readonly random: () => number;
  /** When the earliest of the waits that ended the attempt is over; `undefined`: when an answer comes. */
  readonly waitsUntilMs: number | undefined;
}

/** Decides what an attempt writes last, and which signals that carries out. Pure. */
export function endOfAttempt(outcome: AttemptOutcome, inputs: EndInputs): JournalEntry {
  const { record, signals } = inputs;
  const all = signals.map((signal) => signal.id);
  const cancelled = signals.some((signal) => signal.kind === "cancel");
  if (cancelled || (outcome.kind === "stopped" && outcome.reason === "cancel")) {
    return { events: [{ type: "cancelled" }], consume: all };
  }
  const last = lastEvent(outcome, inputs);
  // A failed task may continue: what was accepted until then is in its journal.
  if (last.type === "failed") return { events: [...answeredBy(record, signals), last], consume: all };
  if (isFinalEvent(last)) return { events: [last], consume: all };
  const requests = signals.filter((signal) => signal.kind === "pause" || signal.kind === "resume");
  // They are carried out when they have reached the tasks that this one called, by the process that opens it next.
  const consume = openCalls(record).length > 0 ? [] : requests.map((signal) => signal.id);
  // A request to pause outlives an attempt that ended for another reason.
  const state = requestedState(signals);
  const paused = state?.desiredState === "pause" ? [state] : [];
  return { events: [...paused, last, ...refusal(outcome, inputs)], consume };
}

/** Names the end of an attempt by what it wrote last. Pure. */
export function findEndName(events: readonly TaskEventBody[]): AttemptEnd {
  const last = events.at(-1);
  if (last?.type === "attempt_ended") return last.reason;
  const isNamed = last?.type === "completed" || last?.type === "failed" || last?.type === "cancelled";
  return isNamed || last?.type === "refused" ? last.type : "interrupted";
}

function refusal(outcome: AttemptOutcome, { before, tool }: EndInputs): readonly TaskEventBody[] {
  if (outcome.kind !== "refused") return [];
  const { toolVersion, stateShape } = before;
  return [{ type: "refused", by: tool.version, toolVersion, stateShape, message: outcome.message }];
}

function lastEvent(outcome: AttemptOutcome, inputs: EndInputs): TaskEventBody {
  if (outcome.kind === "returned") return { type: "completed", output: outcome.output };
  if (outcome.kind === "refused") return { type: "attempt_ended", reason: "interrupted" };
  return outcome.kind === "threw" ? failed(outcome.error, inputs) : stopped(outcome.reason, outcome.abandoned, inputs);
}

function failed(error: unknown, { record, tool, nowMs, random }: EndInputs): TaskEventBody {
  const delayMs = retryDelay(error, record.failures, tool.retry, random);
  if (delayMs === undefined) return { type: "failed", ...toThrown(error) };
  return { type: "attempt_ended", reason: "retry", runnableAt: formatIso(nowMs + delayMs), ...toThrown(error) };
}

function stopped(reason: InterruptReason, abandoned: boolean, inputs: EndInputs): TaskEventBody {
  const { record, tool, nowMs, waitsUntilMs } = inputs;
  if (abandoned && !runsAgain(tool, record)) {
    return { type: "failed", error: outcomeUnknown(`${tool.name} was asked to stop (${reason}) and did not.`) };
  }
  const wakeMs = reason === "drain" || reason === "turn" ? nowMs : reason === "waiting" ? waitsUntilMs : undefined;
  const ended = { type: "attempt_ended", reason: endReasons[reason] ?? "interrupted" } as const;
  return wakeMs === undefined ? ended : { ...ended, runnableAt: formatIso(wakeMs) };
}

const endReasons: { readonly [Reason in InterruptReason]?: "paused" | "waiting" | "drained" | "yielded" } = {
  pause: "paused",
  waiting: "waiting",
  drain: "drained",
  turn: "yielded",
};
