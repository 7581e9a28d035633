import { isResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import type { NewTask } from "../../task/task-event.js";
import { isFinal, type TaskSnapshot } from "../../task/task-record.js";
import { readDesiredState } from "../../task/task-rules.js";
import { parseTraceContext } from "../../task/trace-context.js";
import { makeLabel } from "../../tool/task-label.js";
import { readInstant } from "../clock.js";
import type { StartRequest } from "../engine.js";
import type { Environment } from "../environment.js";
import { keptMs, maxUnfinishedFor } from "../limit-rules.js";
import { readOwned } from "../scheduling/read-tasks.js";
import type { Scheduler } from "../scheduling/scheduler.js";
import type { Callers, DeliveryNotes } from "./callers.js";
import { keyedCall } from "./keyed-call.js";
import type { Masking } from "./masking.js";
import { isTaskId } from "./task-view.js";

/** What all owners' views of an engine share. */
export interface EngineParts extends Environment {
  readonly scheduler: Scheduler;
  readonly callers: Callers;
  readonly deliveries: DeliveryNotes;
  readonly createId: () => string;
  /** What owners see of what tools throw. */
  readonly masking: Masking;
  /** Opens the engine unless it is open or draining. */
  readonly open: () => Promise<void>;
  /** Throws `DRAINING` when no new work is taken. */
  readonly checkOpen: () => void;
}

/** What came of a call: its task, as it was found or made. */
export type StartOutcome = Awaited<ReturnType<Store["createTask"]>>;

/** Makes the task of a call, or finds the existing one and lets it continue. */
export async function startTask(parts: EngineParts, owner: string, request: StartRequest): Promise<StartOutcome> {
  const task = await newTask(parts, owner, request);
  const { callId } = request;
  const named = callId !== undefined && isTaskId(callId) ? { ...task, id: callId } : task;
  let outcome = await createNamed(parts, named, request);
  // The id may belong to another call already, or to another owner: that task stays invisible.
  if (outcome?.snapshot.record.owner !== owner || outcome.snapshot.record.tool !== task.tool) {
    outcome = await createOrContinue(parts, task, request);
  }
  const { record } = outcome.snapshot;
  if (isFinal(record.status)) return outcome;
  if (outcome.created) parts.scheduler.kick(record);
  else await join(parts, outcome.snapshot, task.detached);
  return outcome;
}

/** As {@link createOrContinue}; `undefined` where the id belongs to a damaged task of another owner. */
async function createNamed(
  parts: EngineParts,
  task: NewTask,
  request: StartRequest,
): Promise<StartOutcome | undefined> {
  try {
    return await createOrContinue(parts, task, request);
  } catch (error) {
    if (!isResumableError(error, "TASK_CORRUPT")) throw error;
    await readOwned(parts, (owner) => owner === task.owner, task.id);
    return undefined;
  }
}

async function newTask(parts: EngineParts, owner: string, request: StartRequest): Promise<NewTask> {
  const { tool, input, parsed, key } = await keyedCall(parts, request);
  return {
    id: parts.createId(),
    owner,
    tool: tool.name,
    toolVersion: tool.version,
    key,
    input,
    label: makeLabel(tool, parsed, input),
    detached: request.detached === true,
    ttlMs: keptMs(parts, tool, owner),
    session: request.session,
    trace: request.trace && parseTraceContext({ ...request.trace }),
  };
}

/**
 * Makes the task of a call, or finds the existing one. A failed one continues as a new generation: of several
 * callers one restarts it, and the others find it under way.
 */
async function createOrContinue(parts: EngineParts, task: NewTask, request: StartRequest): Promise<StartOutcome> {
  const { store, limits, clock } = parts;
  const { reuseResultMs } = limits;
  const maxUnfinished = maxUnfinishedFor(parts, task.owner);
  let triesLeft = parts.tools.require(task.tool).onFailure === "restart" ? 0 : fixedLimits.maxContinueTries;
  for (;;) {
    const continueFailed = triesLeft > 0;
    const now = readInstant(clock);
    const acceptedMs = acceptedLateMs(request, now.wallMs);
    const found = await store.createTask({ task, reuseResultMs, acceptedMs, continueFailed, maxUnfinished, now });
    const { record } = found.snapshot;
    // The very same call delivered again gets its task as it is, failed or not.
    if (triesLeft === 0 || found.created || record.status !== "failed" || record.id === task.id) return found;
    const continued = await restarted(parts, record.id);
    if (typeof continued === "object") return { snapshot: continued, created: false };
    triesLeft = continued === "full" ? 0 : triesLeft - 1;
  }
}

/**
 * When a call that comes late was accepted; `undefined` for one that comes at once, whose result nothing but the task tells.
 *
 * Other clocks are compared only where another process begins the call again. After a clock was set back, a result that may
 * be older than the call is given rather than worked for twice.
 */
function acceptedLateMs({ acceptedMs, redelivered }: StartRequest, nowMs: number): number | undefined {
  if (acceptedMs === undefined) return undefined;
  if (redelivered === true) return Math.min(acceptedMs, nowMs);
  return nowMs - acceptedMs >= fixedLimits.lateCallMs ? acceptedMs : undefined;
}

/**
 * What the failed task is after its restart; `lost` when another task belongs to the call by now, `full` when it cannot
 * be continued.
 */
async function restarted({ store, scheduler }: EngineParts, taskId: string): Promise<TaskSnapshot | "full" | "lost"> {
  try {
    await scheduler.restart(taskId);
    return (await store.getTask(taskId)) ?? "lost";
  } catch (error) {
    // Its journal takes no more events: only a new task can do the rest.
    if (isResumableError(error, "QUOTA_EXCEEDED")) return "full";
    if (isResumableError(error, "KEY_TAKEN", "TASK_NOT_FOUND")) return "lost";
    throw error;
  }
}

/** A caller waits for this task: what kept it from running is over. */
async function join(parts: EngineParts, found: TaskSnapshot, detached: boolean): Promise<void> {
  const { store, scheduler, callers } = parts;
  const { record } = found;
  callers.arrive(record.id);
  if (detached && !record.detached) await store.signal(record.id, { kind: "detach" });
  // It has to be known what the task is to be woken from.
  await callers.stopWritten(record.id);
  const before = (await store.getTask(record.id)) ?? found;
  // Also a pause that is requested and not carried out yet: the end of the caller before this one left it.
  if (!isFinal(before.record.status) && readDesiredState(before) === "pause")
    await store.signal(record.id, { kind: "resume" });
  const now = await store.getTask(record.id);
  if (now !== undefined) scheduler.resumeForWaiter(now);
}

/** Makes an id of 128 random bits: 32 hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
