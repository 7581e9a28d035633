import { looksAgainMs } from "../../task/calls.js";
import type { TaskEventBody } from "../../task/task-event.js";
import {
  isFinal,
  onlyWaits,
  openQuestions,
  type Signal,
  type TaskSnapshot,
  waitsUntilMs,
} from "../../task/task-record.js";
import { answeredBy, readDesiredState, requestedState } from "../../task/task-rules.js";
import type { Tool } from "../../tool/tool.js";
import { outcomeUnknown, runsAgain } from "../runs-again.js";
import { isCrashLoop } from "./suspects.js";
import type { VersionVerdict } from "./version-rule.js";

/** What a process that has just taken a task's lease is to commit, and whether an attempt follows. */
export interface AttemptPlan {
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly run: boolean;
}

type PlannedTool = Pick<
  Tool,
  "name" | "version" | "kind" | "durable" | "annotations" | "onVersionChange" | "stateShape"
>;

/** What the plan depends on, in addition to the task. */
export interface PlanInputs {
  /** `undefined` where this process does not have the tool: then only requests are carried out. */
  readonly tool: PlannedTool | undefined;
  /** What versions decide. */
  readonly verdict: VersionVerdict;
  readonly worker: string;
  readonly nowMs: number;
  /** Until the task's `runnableAt`, or the end of what its dead attempt waited for, comes. */
  readonly waitMs: number;
  readonly maxCrashesWithoutProgress: number;
  readonly maxCrashesInCompany: number;
  readonly maxDeathsInWaits: number;
  /** Those of {@link deathsOf} that another task may have caused; of the first one it does not matter. */
  readonly inCompany: ReadonlySet<string>;
  readonly crashBackoffMs: number;
  /** The task that called it does not want it any more. */
  readonly unwanted: boolean;
  /** A task that it called has ended while it waited in the dead attempt. */
  readonly childEnded: boolean;
  /** False only carries out requests and does not begin an attempt. */
  readonly mayRun: boolean;
  /** The attempt that this very process ran and whose end it could not write: nothing died. */
  readonly brokenAttempt: number | undefined;
}

/** How the attempt before came to its end, if the journal does not say so yet. */
interface Ending {
  readonly events: readonly TaskEventBody[];
  /** The task is over with it. */
  readonly over: boolean;
  /** The attempt only waited: the next one begins when its wait is over. */
  readonly waits?: boolean;
}

/** What the task waits for, or waited for when its process died: wall clock in milliseconds. */
export function waitsUntil(record: TaskSnapshot["record"]): number {
  if (record.live) return waitsUntilMs(record);
  return record.runnableAt === undefined ? 0 : Date.parse(record.runnableAt);
}

/** The processes in which a task died without progress, with the one whose death was not judged yet. */
export function deathsOf({ crashedIn = [], worker, id }: TaskSnapshot["record"]): readonly string[] {
  return [...crashedIn, worker ?? id];
}

/** Decides what to do with a task whose lease was just taken. Pure. */
export function planAttempt(snapshot: TaskSnapshot, inputs: PlanInputs): AttemptPlan {
  const { record, signals } = snapshot;
  const { tool, verdict } = inputs;
  const requests = signals.filter(({ kind }) => kind !== "delivered" && kind !== "undelivered");
  const consume = requests.map((signal) => signal.id);
  if (isFinal(record.status)) {
    // A failed task may continue: its answers wait for that.
    const over = requests.filter(({ kind }) => kind !== "answer" || record.status !== "failed");
    return { events: [], consume: over.map(({ id }) => id), run: false };
  }
  const events = requestEvents(snapshot);
  const carriedOut = requests.filter(({ kind }) => kind !== "offer").map(({ id }) => id);
  const stop = (...last: TaskEventBody[]): AttemptPlan => ({
    ...{ events: [...events, ...last], consume: carriedOut, run: false },
  });

  if (requests.some((signal) => signal.kind === "cancel")) return stop({ type: "cancelled" });
  if (inputs.unwanted)
    return stop({ type: "cancelled", reason: "The task that called it was cancelled or restarted." });
  // The worker that it is left to carries out the other requests, and runs it at once because of them.
  if (verdict.kind === "leave") return { events: [], consume: [], run: false };
  // How a dead attempt is to be judged depends on the tool: a process that has it will.
  if (tool === undefined || verdict.kind === "wait") return stop();
  const ending: Ending = record.live ? endingOf(snapshot, tool, inputs) : { events: [], over: false };
  if (ending.over || !inputs.mayRun || readDesiredState(snapshot) === "pause") return stop(...ending.events);
  if (mustWait(snapshot, ending, inputs)) return stop(...ending.events);
  const version = versionEnding(snapshot, tool, verdict);
  if (version.over) return stop(...ending.events, ...version.events);
  const start = {
    type: "attempt_started",
    attempt: record.attempt + 1,
    worker: inputs.worker,
    toolVersion: tool.version,
    ...(tool.stateShape !== undefined && { stateShape: tool.stateShape }),
  } as const;
  return { events: [...events, ...ending.events, ...version.events, start], consume, run: true };
}

function requestEvents({ record, signals }: TaskSnapshot): readonly TaskEventBody[] {
  const events: TaskEventBody[] = [...answeredBy(record, signals)];
  if (!record.detached && signals.some((signal) => signal.kind === "detach")) {
    events.push({ type: "detached" });
  }
  const state = requestedState(signals);
  const isPaused = state?.desiredState === "pause" && record.desiredState === "pause";
  return state === undefined || isPaused ? events : [...events, state];
}

function endingOf({ record }: TaskSnapshot, tool: PlannedTool, inputs: PlanInputs): Ending {
  const broken = record.attempt === inputs.brokenAttempt;
  const ended = { type: "attempt_ended", reason: broken ? "interrupted" : "crashed" } as const;
  if (!broken && onlyWaits(record)) return deathInWait(record, tool, inputs);
  if (!runsAgain(tool, record)) {
    const error = outcomeUnknown(`${broken ? "The store failed" : "The process died"} while ${tool.name} ran.`);
    return { events: [ended, { type: "failed", error }], over: true };
  }
  if (broken || record.progressed) return { events: [ended], over: false };
  const crashes = record.crashes + 1;
  if (isCrashLoop(deathsOf(record), inputs.inCompany, inputs)) {
    return { events: [ended, crashLoop(crashes, tool)], over: true };
  }
  const runnableAt = new Date(inputs.nowMs + inputs.crashBackoffMs * 2 ** (crashes - 1)).toISOString();
  return { events: [{ ...ended, runnableAt }], over: false };
}

function crashLoop(crashes: number, tool: PlannedTool): TaskEventBody {
  const message = `The process died ${crashes} times in a row while ${tool.name} ran without a checkpoint, so the task does not run again by itself. Check its input and the server's log before it continues.`;
  return { type: "failed", error: { code: "CRASH_LOOP", message } };
}

/**
 * The process died while the attempt only waited for answers and times. That says nothing about the tool: the task waits
 * on without an attempt, so that the next death does not meet it.
 */
function deathInWait(record: TaskSnapshot["record"], tool: PlannedTool, inputs: PlanInputs): Ending {
  const { maxDeathsInWaits, nowMs } = inputs;
  const deaths = (record.deathsInWaits ?? 0) + 1;
  const untilMs = Math.min(waitsUntilMs(record), looksAgainMs(record, nowMs));
  const runnableAt = Number.isFinite(untilMs) ? { runnableAt: new Date(untilMs).toISOString() } : {};
  const ended = { type: "attempt_ended", reason: "crashed", ...runnableAt } as const;
  if (record.progressed || deaths < maxDeathsInWaits) return { events: [ended], over: false, waits: true };
  const message = `The process died ${deaths} times in a row while ${tool.name} waited, and it made no progress in between, so the task does not run again by itself. Check its input and the server's log before it continues.`;
  return { events: [ended, { type: "failed", error: { code: "CRASH_LOOP", message } }], over: true };
}

const waking: readonly Signal["kind"][] = ["resume", "answer", "offer"];

function mustWait({ record, signals }: TaskSnapshot, ending: Ending, inputs: PlanInputs): boolean {
  const { waitMs, childEnded } = inputs;
  const woken = childEnded || signals.some(({ kind }) => waking.includes(kind));
  if (record.live) {
    if (ending.waits === true) return !woken && waitMs > 0;
    return ending.events.some((event) => event.type === "attempt_ended" && event.runnableAt !== undefined);
  }
  if (woken) return false;
  if (record.runnableAt !== undefined) return waitMs > 0;
  return openQuestions(record).length > 0;
}

function versionEnding({ record }: TaskSnapshot, tool: PlannedTool, verdict: VersionVerdict): Ending {
  if (verdict.kind === "refuse") {
    const { toolVersion, stateShape } = record;
    const refused = { type: "refused", by: tool.version, toolVersion, stateShape, message: verdict.message } as const;
    return { events: record.refused === undefined ? [refused] : [], over: true };
  }
  const policy = tool.onVersionChange ?? "resume";
  if (verdict.kind !== "change" || policy === "resume") return { events: [], over: false };
  if (policy === "restart") {
    return { events: [{ type: "restarted", generation: record.generation + 1, fromState: false }], over: false };
  }
  const message = `The task was begun by version ${record.toolVersion} of ${tool.name}; version ${tool.version} is installed and does not continue it. Call the tool again to start from the beginning.`;
  return { events: [{ type: "failed", error: { code: "VERSION_MISMATCH", message, terminal: true } }], over: true };
}
