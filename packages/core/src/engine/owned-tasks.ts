import { ResumableError } from "../errors.js";
import { copyJson, type Json, jsonBytes } from "../json.js";
import type { engineDefaults } from "../limits.js";
import { checkValue, type JsonSchemaValidator } from "../schema.js";
import type { Instant, Store, TaskSnapshot } from "../store.js";
import type { Answer, NewTask } from "../task-event.js";
import { finalStatuses, isFinal, openQuestions, type TaskStatus } from "../task-record.js";
import { desiredOf, isOrphan, statusOf } from "../task-rules.js";
import type { Tool } from "../tool.js";
import { checkAnswer } from "./check-answer.js";
import { checkLimit, invalidValue } from "./check-checkpoint.js";
import type { Clock, OwnedTasks, StartedTask, StartRequest, TaskView, WaitResult } from "./engine.js";
import { followTask, listen } from "./follow-task.js";
import type { Scheduler } from "./scheduler.js";
import { taskKey } from "./task-key.js";

/** What one owner's view of the engine is made of. */
export interface OwnedTasksOptions {
  readonly owner: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: typeof engineDefaults;
  readonly scheduler: Scheduler;
  readonly createId: () => string;
  readonly validate: JsonSchemaValidator | undefined;
  readonly toolNamed: (name: string) => Tool;
  /** Throws `DRAINING` when no new work is taken. */
  readonly checkOpen: () => void;
  /** Counts an unfinished task of this owner, or throws `LIMIT_EXCEEDED`. */
  readonly admit: (owner: string) => Promise<void>;
  readonly admitted: (owner: string, taskId: string) => void;
  readonly callers: Map<string, number>;
  readonly onError: (error: unknown) => void;
}

const validId = /^[A-Za-z0-9_-]{16,64}$/;

/** Makes one owner's view. */
export function createOwnedTasks(options: OwnedTasksOptions): OwnedTasks {
  const { owner, store, clock, limits, scheduler } = options;
  const now = (): Instant => ({ wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() });

  const own = async (taskId: string): Promise<TaskSnapshot> => {
    const snapshot = validId.test(taskId) ? await store.getTask(taskId) : undefined;
    if (snapshot === undefined || snapshot.record.owner !== owner) throw notFound(taskId);
    return snapshot;
  };
  const get = async (taskId: string): Promise<TaskView> => viewOf(await own(taskId));

  /** Leaves a signal, and sees to it that somebody carries it out. */
  const wish = async (taskId: string, kind: "pause" | "resume" | "cancel" | "hand_over"): Promise<TaskView> => {
    await store.signal(taskId, { kind });
    const snapshot = await own(taskId);
    if (kind === "resume") scheduler.kick(snapshot.record);
    else await scheduler.settle(snapshot);
    return get(taskId);
  };

  const begin = async (request: StartRequest): Promise<StartedTask> => {
    const tool = options.toolNamed(request.tool);
    const task = await newTask(options, tool, request);
    if (request.callId !== undefined && validId.test(request.callId)) {
      const standing = await store.getTask(request.callId);
      // A foreign task of that id stays invisible: the call simply gets an id of its own.
      if (standing !== undefined && standing.record.owner !== owner) return create({ ...task, id: options.createId() });
      return create({ ...task, id: request.callId });
    }
    return create(task);
  };

  const create = async (task: NewTask): Promise<StartedTask> => {
    await options.admit(owner);
    const { snapshot, created } = await store.createTask({ task, reuseResultMs: limits.reuseResultMs, now: now() });
    const { record } = snapshot;
    if (!isFinal(record.status)) {
      options.admitted(owner, record.id);
      await goOn(snapshot, created, task.recover === "auto");
    }
    const view = created ? viewOf(snapshot) : await get(record.id);
    return { ...view, created, reused: !created && isFinal(record.status) };
  };

  /** Somebody waits for this task again: whatever kept it from running is over. */
  const goOn = async (snapshot: TaskSnapshot, created: boolean, handedOver: boolean): Promise<void> => {
    const { record } = snapshot;
    if (!created && handedOver && record.recover !== "auto") await store.signal(record.id, { kind: "hand_over" });
    // Also a pause that is wished for and not carried out yet: the end of the caller before this one left it.
    if (desiredOf(snapshot) === "pause") await store.signal(record.id, { kind: "resume" });
    scheduler.kick(record);
  };

  const resume = async (taskId: string): Promise<TaskView> => {
    const snapshot = await own(taskId);
    const status = statusOf(snapshot);
    if (status === "failed") return restart(snapshot);
    if (isFinal(status)) throw illegal(taskId, status, "resume");
    return wish(taskId, "resume");
  };
  const restart = async ({ record }: TaskSnapshot): Promise<TaskView> => {
    options.checkOpen();
    await scheduler.restart(record.id);
    return get(record.id);
  };

  const pause = async (taskId: string): Promise<TaskView> => {
    const status = statusOf(await own(taskId));
    if (isFinal(status) || status === "paused") throw illegal(taskId, status, "pause");
    return wish(taskId, "pause");
  };
  const cancel = async (taskId: string): Promise<TaskView> => {
    const status = statusOf(await own(taskId));
    if (isFinal(status)) throw illegal(taskId, status, "cancel");
    return wish(taskId, "cancel");
  };
  const answer = async (taskId: string, key: string, given: Answer): Promise<TaskView> => {
    const snapshot = await own(taskId);
    checkOpenQuestion(snapshot, key, given);
    await store.signal(taskId, { kind: "answer", key, answer: copyJson(given, "answer") as unknown as Answer });
    if (snapshot.leased) await scheduler.settle(snapshot);
    scheduler.kick(snapshot.record);
    return get(taskId);
  };

  const wait: OwnedTasks["wait"] = async (taskId, { timeoutMs, signal } = {}) => {
    const news = listen(store, clock, taskId, limits.pollMs, signal);
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + timeoutMs;
    let expired = () => {};
    const overdue = new Promise<void>((resolve) => {
      if (timeoutMs !== undefined) expired = clock.after(timeoutMs, resolve);
    });
    try {
      for (;;) {
        const view = await get(taskId);
        const reason = waitReason(view.status);
        if (reason !== undefined) return { ...view, reason };
        if (signal?.aborted === true || clock.monotonicMs() >= deadline) return { ...view, reason: "timeout" };
        await Promise.race([news.next(), overdue]);
      }
    } finally {
      expired();
      news.stop();
    }
  };

  return {
    owner,
    get,
    pause,
    resume,
    cancel,
    answer,
    wait,
    async start(request) {
      options.checkOpen();
      return begin(request);
    },
    list: ({ statuses, tool, limit = 100, cursor } = {}) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
        throw invalidValue("limit", [`must be a whole number from 1 to 1000, not ${limit}`]);
      }
      return store.listTasks({
        owner,
        limit,
        ...(statuses === undefined ? {} : { statuses }),
        ...(tool === undefined ? {} : { tool }),
        ...(cursor === undefined ? {} : { cursor }),
      });
    },
    count: () => store.countTasks({ owner }),
    async *follow(taskId, { afterSeq = 0, signal } = {}) {
      const { record } = await own(taskId);
      if (!Number.isInteger(afterSeq) || afterSeq < 0 || afterSeq > record.lastSeq) {
        throw invalidValue("The cursor", [`must be a whole number from 0 to ${record.lastSeq}`]);
      }
      yield* followTask(options, taskId, afterSeq, signal);
    },
    async delete(taskId) {
      const status = statusOf(await own(taskId));
      if (!isFinal(status)) throw illegal(taskId, status, "delete");
      await scheduler.remove(taskId);
    },
    async items(taskId, { after = 0, limit = 100 } = {}) {
      await own(taskId);
      return store.readItems(taskId, { after, limit });
    },
    async handOver(taskId) {
      const { record } = await own(taskId);
      if (!isFinal(record.status) && record.recover !== "auto") await wish(taskId, "hand_over");
    },
    async markDelivered(taskId) {
      const { record } = await own(taskId);
      if (isFinal(record.status)) await store.signal(taskId, { kind: "delivered" });
    },
    attend(taskId) {
      const { callers } = options;
      callers.set(taskId, (callers.get(taskId) ?? 0) + 1);
      let here = true;
      return (left) => {
        if (!here) return;
        here = false;
        const others = (callers.get(taskId) ?? 1) - 1;
        if (others > 0) callers.set(taskId, others);
        else callers.delete(taskId);
        if (left === "cancelled" && others <= 0) void stopUnattended(taskId).catch(options.onError);
      };
    },
  };

  async function stopUnattended(taskId: string): Promise<void> {
    const snapshot = await own(taskId);
    const { record } = snapshot;
    const handedOver = record.recover === "auto" || snapshot.signals.some((signal) => signal.kind === "hand_over");
    const status = statusOf(snapshot);
    if (handedOver || isFinal(status) || status === "paused") return;
    if (options.callers.has(taskId) || options.toolNamed(record.tool).onCallerCancel === "detach") return;
    await wish(taskId, "pause");
    // The caller may have called again meanwhile: without this the new call would end as paused.
    if (options.callers.has(taskId)) await wish(taskId, "resume");
  }
}

async function newTask(options: OwnedTasksOptions, tool: Tool, request: StartRequest): Promise<NewTask> {
  const input = copyJson(request.input ?? {}, "input");
  checkLimit("maxInputBytes", jsonBytes(input), options.limits.maxInputBytes);
  const checked = await checkValue(tool.input, input, options.validate);
  if (checked.problems !== undefined) throw invalidValue(`The input of ${tool.name}`, checked.problems);
  return {
    id: options.createId(),
    owner: options.owner,
    tool: tool.name,
    toolVersion: tool.version,
    key: await keyOf(tool, checked.value, input, request.newTask),
    input,
    recover: request.handedOver === true ? "auto" : "on_return",
    ttlMs: tool.ttlMs ?? options.limits.ttlMs,
    ...(request.session === undefined ? {} : { session: request.session }),
  };
}

async function keyOf(tool: Tool, parsed: unknown, raw: Json, newTask: StartRequest["newTask"]): Promise<string | null> {
  if (newTask === true) return null;
  const meaning = tool.key === undefined ? jsonOr(parsed, raw) : tool.key(parsed);
  if (typeof newTask === "string") return taskKey(tool.name, [meaning, newTask]);
  return meaning === null && tool.key !== undefined ? null : taskKey(tool.name, meaning);
}

/** Parsed input has its defaults filled in, so that leaving one out is the same call; some schemas make no JSON. */
function jsonOr(parsed: unknown, raw: Json): Json {
  try {
    return copyJson(parsed, "input");
  } catch {
    return raw;
  }
}

function viewOf(snapshot: TaskSnapshot): TaskView {
  return { record: snapshot.record, status: statusOf(snapshot), interrupted: isOrphan(snapshot) };
}

function waitReason(status: TaskStatus): Exclude<WaitResult["reason"], "timeout"> | undefined {
  if (finalStatuses.includes(status)) return "finished";
  return status === "paused" || status === "input_required" ? status : undefined;
}

function checkOpenQuestion({ record, signals }: TaskSnapshot, key: string, given: Answer): void {
  const entry = Object.hasOwn(record.remembered, key) ? record.remembered[key] : undefined;
  const pending = signals.some((signal) => signal.kind === "answer" && signal.key === key);
  if (entry?.kind === "answer" || pending) {
    throw new ResumableError("ALREADY_ANSWERED", `The question ${JSON.stringify(key)} already has its answer.`, {
      details: { taskId: record.id, key },
    });
  }
  if (entry?.kind !== "question" || isFinal(record.status)) {
    const open = openQuestions(record).map((question) => question.key);
    const hint = open.length === 0 ? "The task asks nothing now." : `Open questions: ${open.join(", ")}.`;
    throw new ResumableError("UNKNOWN_QUESTION", `The task asks no question ${JSON.stringify(key)}. ${hint}`, {
      details: { taskId: record.id, key },
    });
  }
  if (given.action !== "accept") return;
  const problems = checkAnswer(entry.question.schema, given.content);
  if (problems.length > 0) throw invalidValue("The answer", problems);
}

function notFound(taskId: string): ResumableError {
  const shown = validId.test(taskId) ? taskId : "of that id";
  return new ResumableError(
    "TASK_NOT_FOUND",
    `There is no task ${shown}. list_session_tasks shows the tasks there are.`,
    {
      details: { taskId },
    },
  );
}

function illegal(taskId: string, status: TaskStatus, wanted: "pause" | "resume" | "cancel" | "delete"): ResumableError {
  const advice: Record<typeof wanted, string> = {
    pause: status === "paused" ? "resume_task lets it go on." : "Only an unfinished task can be paused.",
    resume: "Call the tool again to begin anew.",
    cancel: "Nothing is left to cancel.",
    delete: "Cancel it first, or wait until it has finished.",
  };
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${taskId} is ${status}, so it cannot ${verb(wanted)}. ${advice[wanted]}`,
    {
      details: { taskId, status, wanted },
    },
  );
}

function verb(wanted: "pause" | "resume" | "cancel" | "delete"): string {
  return `be ${{ pause: "paused", resume: "resumed", cancel: "cancelled", delete: "deleted" }[wanted]}`;
}
