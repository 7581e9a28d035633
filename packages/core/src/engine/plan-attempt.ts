import type { TaskSnapshot } from "../store.js";
import type { TaskEventBody } from "../task-event.js";
import { isFinal, openQuestions } from "../task-record.js";
import { desiredOf } from "../task-rules.js";
import type { Tool } from "../tool.js";

/** What whoever has just taken a task's lease is to commit, and whether an attempt follows. */
export interface AttemptPlan {
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly run: boolean;
}

/** What the plan depends on beside the task. */
export interface PlanInputs {
  readonly tool: Pick<Tool, "name" | "version" | "kind" | "onCrash" | "onVersionChange">;
  readonly worker: string;
  readonly nowMs: number;
  readonly maxCrashesWithoutProgress: number;
  readonly crashBackoffMs: number;
  /** False only carries out wishes and does not begin an attempt. */
  readonly mayRun: boolean;
}

/** Decides what to do with a task whose lease was just taken. Pure. */
export function planAttempt(snapshot: TaskSnapshot, inputs: PlanInputs): AttemptPlan {
  const { record, signals } = snapshot;
  const wishes = signals.filter((signal) => signal.kind !== "delivered");
  const consume = wishes.map((signal) => signal.id);
  if (isFinal(record.status)) return { events: [], consume, run: false };
  const events: TaskEventBody[] = wishEvents(snapshot);
  const stop = (...last: TaskEventBody[]): AttemptPlan => ({ events: [...events, ...last], consume, run: false });

  const cancelled = wishes.some((signal) => signal.kind === "cancel");
  if (cancelled) return stop({ type: "cancelled" });
  const crash = record.live ? crashEvents(snapshot, inputs) : { events: [], over: false };
  if (crash.over) return stop(...crash.events);
  if (desiredOf(snapshot) === "pause") return stop(...crash.events);
  if (!inputs.mayRun) return stop(...crash.events);
  events.push(...crash.events);
  if (mustWait(snapshot, events, inputs.nowMs)) return { events, consume, run: false };
  const version = versionEvents(snapshot, inputs.tool);
  if (version.over) return stop(...version.events);
  const start = {
    type: "attempt_started",
    attempt: record.attempt + 1,
    worker: inputs.worker,
    toolVersion: inputs.tool.version,
  } as const;
  return { events: [...events, ...version.events, start], consume, run: true };
}

function wishEvents({ record, signals }: TaskSnapshot): TaskEventBody[] {
  const events: TaskEventBody[] = [];
  for (const signal of signals) {
    if (signal.kind === "answer" && record.remembered[signal.key]?.kind === "question") {
      events.push({ type: "answered", key: signal.key, answer: signal.answer });
    }
  }
  if (record.recover !== "auto" && signals.some((signal) => signal.kind === "hand_over")) {
    events.push({ type: "handed_over" });
  }
  const wished = signals.some((signal) => signal.kind === "pause" || signal.kind === "resume");
  if (wished) events.push({ type: "desired", desired: desiredOf({ record, signals, leased: false }) });
  return events;
}

function crashEvents(
  { record }: TaskSnapshot,
  inputs: PlanInputs,
): { readonly events: readonly TaskEventBody[]; readonly over: boolean } {
  const crashed = { type: "attempt_ended", reason: "crashed" } as const;
  if (inputs.tool.kind === "function" && inputs.tool.onCrash === "fail") {
    const message = `The process died while ${record.tool} ran, and a tool without checkpoints cannot tell how far it came. It may or may not have taken effect: check before calling again.`;
    return { events: [crashed, { type: "failed", error: { code: "OUTCOME_UNKNOWN", message } }], over: true };
  }
  if (record.progressed) return { events: [crashed], over: false };
  const crashes = record.crashes + 1;
  if (crashes >= inputs.maxCrashesWithoutProgress) {
    const message = `The process died ${crashes} times in a row while ${record.tool} ran without a checkpoint, so it is not tried again. Look at its input and at the server's log, then call resume_task.`;
    return { events: [crashed, { type: "failed", error: { code: "CRASH_LOOP", message } }], over: true };
  }
  const runnableAt = new Date(inputs.nowMs + inputs.crashBackoffMs * 2 ** (crashes - 1)).toISOString();
  return { events: [{ ...crashed, runnableAt }], over: false };
}

function mustWait({ record, signals }: TaskSnapshot, events: readonly TaskEventBody[], nowMs: number): boolean {
  const backoff = events.some((event) => event.type === "attempt_ended" && event.runnableAt !== undefined);
  if (backoff) return true;
  if (record.live) return false;
  if (signals.some((signal) => signal.kind === "resume" || signal.kind === "answer")) return false;
  if (record.runnableAt !== undefined) return Date.parse(record.runnableAt) > nowMs;
  return openQuestions(record).length > 0;
}

function versionEvents(
  { record }: TaskSnapshot,
  tool: PlanInputs["tool"],
): { readonly events: readonly TaskEventBody[]; readonly over: boolean } {
  if (record.attempt === 0 || record.toolVersion === tool.version) return { events: [], over: false };
  const policy = tool.onVersionChange ?? "resume";
  if (policy === "resume") return { events: [], over: false };
  if (policy === "restart") {
    return { events: [{ type: "restarted", generation: record.generation + 1, fromState: false }], over: false };
  }
  const message = `The task was begun by version ${record.toolVersion} of ${tool.name}; version ${tool.version} is installed and does not continue it. Call the tool again to begin anew.`;
  return { events: [{ type: "failed", error: { code: "VERSION_MISMATCH", message } }], over: true };
}
