import type { Json } from "../json.js";
import type { EngineLimits } from "../limits.js";
import type { Documents, ItemPage, Observer, Store, TaskCounts, TaskPage } from "../store/store.js";
import type { Answer, Question, TaskEvent, TraceContext } from "../task/task-event.js";
import type { TaskRecord, TaskSnapshot, TaskStatus } from "../task/task-record.js";
import type { JsonSchemaValidator } from "../tool/schema.js";
import type { Tool } from "../tool/tool.js";
import type { Clock } from "./clock.js";
import type { LimitRules } from "./limit-rules.js";
import type { OwnedArtifact } from "./owned-artifact.js";
import type { SlotWait } from "./scheduling/pick-next.js";
import type { ServerSurvey } from "./server-survey.js";
import type { EngineTelemetry } from "./telemetry.js";

/** An attempt that a tool's code ended by throwing: of a task, or of a step or an item in one. */
export interface FailedAttempt {
  readonly taskId: string;
  readonly tool: string;
  /** Of the task. */
  readonly attempt: number;
  /** As a sentence about it begins, such as `Step "charge"` or `Item 3 of map "book"`, and which of its attempts failed. */
  readonly part?: { readonly what: string; readonly attempt: number };
}

/** Runs the code of one attempt of a task, and returns what it returns. */
export type RunAttempt = <Result>(taskId: string, run: () => Result) => Result;

/** What an engine is made of. Everything but store and tools has a default. */
export interface EngineOptions {
  readonly store: Store;
  readonly tools: readonly Tool[];
  readonly limits?: { readonly [Name in keyof EngineLimits]?: number };
  /** Limits of single tools and owners, which count in place of `limits`. */
  readonly limitRules?: LimitRules | undefined;
  /** Checks plain JSON Schema. Default: the validator that comes with what serves the engine. */
  readonly validateJsonSchema?: JsonSchemaValidator;
  readonly clock?: Clock;
  /** Gives a number from 0 on, below 1: delays of retries are drawn with it. Default: `Math.random`. */
  readonly random?: () => number;
  /** Makes ids that cannot be guessed: at least 128 bits, out of `A-Z a-z 0-9 _ -`. */
  readonly createId?: () => string;
  /** Hears of what happens at named points, for tracing and for fault injection. */
  readonly observer?: Observer;
  /** Traces and measures the work. Default: nothing does. */
  readonly telemetry?: EngineTelemetry;
  /** Hears, when the engine begins to look for work, what becomes of the unfinished tasks that no process runs. */
  readonly onOpened?: (recovery: RecoveryCounts) => void;
  /** Hears of errors that belong to no caller. Default: ignored, since tasks record their own. */
  readonly onError?: (error: unknown) => void;
  /**
   * Owners see of what a tool's code throws only that it failed, and under which id `onToolError` heard why; errors of the
   * toolkit, `ToolError`, and errors made with `forCaller` are shown. The journal keeps all. Default false.
   */
  readonly maskErrors?: boolean;
  /**
   * Runs the code of each attempt, for example in a context by which an exception that nothing catches tells its task. Default:
   * calls it.
   */
  readonly runAttempt?: RunAttempt;
  /** Hears of everything that a tool's code throws, each time it does, with its stack. */
  readonly onToolError?: (error: unknown, failed: FailedAttempt) => void;
}

/** When the unfinished tasks run that no process runs. */
export interface RecoveryCounts {
  /** At once, or when the time comes that they wait for. */
  readonly now: number;
  /** When a caller returns to them, or after `recoverAfterMs`. */
  readonly later: number;
  /** When a caller resumes or answers them, or calls them again. */
  readonly onRequest: number;
  /** There are more unfinished tasks, which were not counted. */
  readonly more: boolean;
}

/** A call that begins or finds a task. */
export interface StartRequest {
  readonly tool: string;
  /** As the caller sent it, without `client_id`. */
  readonly input: Json;
  /** The connection by which the call came. */
  readonly session?: string;
  /**
   * Names this very call, so that delivering it twice finds the same task: 16 to 64 characters out of
   * `A-Z a-z 0-9 _ -`. An id that belongs to another owner is ignored.
   */
  readonly callId?: string;
  /**
   * When the call was accepted, in milliseconds of the wall clock. Where it comes late, a result that the same call came to
   * since then is its result too, though another caller received it: at its time the call would have joined that task.
   */
  readonly acceptedMs?: number;
  /** A process was given the call before, which may have died with it: it comes late. Default false. */
  readonly redelivered?: boolean;
  /** Another run, though an equal call stands. A string names the run: the same string joins it. */
  readonly newTask?: boolean | string;
  /** The task needs no caller: it resumes at once after a crash. Default false: when a caller returns to it, or after `recoverAfterMs`. */
  readonly detached?: boolean;
  /**
   * The trace that the call belongs to. A task that the call makes keeps it, and its attempts continue it. It does not keep
   * two calls apart; what is not a trace by W3C Trace Context is left out.
   */
  readonly trace?: TraceContext | undefined;
}

/** A task as its owner sees it. */
export interface TaskView {
  readonly record: TaskRecord;
  /** The status to show: a task whose process died is `pending`, not `running`. */
  readonly status: TaskStatus;
  /** Its process died and no other process has taken it over yet. */
  readonly interrupted: boolean;
  /** What it asks: without the questions whose answer is on its way to the task. */
  readonly questions: readonly OpenQuestion[];
  /** What was requested of it and has not happened yet. Lists do not say it. */
  readonly requested?: "pause" | "cancel" | undefined;
  /** Keys of its questions whose answer is on its way to the task. Lists do not say it. */
  readonly answered?: readonly string[];
  /** Why it is `pending` though it may run: which limit of this process is reached. Lists do not say it. */
  readonly waitsFor?: SlotWait | undefined;
}

/** What `start` gives. */
export interface StartedTask extends TaskView {
  /** The task was made by this call. */
  readonly created: boolean;
  /** It had already finished, and this is its result. */
  readonly reused: boolean;
}

/** What a follower sees: the journal's events in order, or one marked snapshot in place of those that were removed. */
export type Followed =
  | { readonly kind: "event"; readonly event: TaskEvent }
  | { readonly kind: "snapshot"; readonly record: TaskRecord };

/** Where a wait ended. */
export interface WaitResult extends TaskView {
  /**
   * `finished`, `input_required` and `paused` say what the task is; `timeout`: none of these, and it continues.
   */
  readonly reason: "finished" | "input_required" | "paused" | "timeout";
}

/** Which of the owner's tasks to list. */
export interface OwnTaskQuery {
  readonly statuses?: readonly TaskStatus[];
  readonly tool?: string;
  /** 1 to 1000; default 100. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** An open question of a task. */
export interface OpenQuestion {
  readonly key: string;
  readonly question: Question;
}

/**
 * One owner's tasks: nothing of another owner can be reached through it, not even whether it exists, unless `forOwner` says so.
 *
 * Every method that takes a task id throws `TASK_NOT_FOUND` for an unknown and for a foreign task alike.
 */
export interface OwnedTasks {
  readonly owner: string;
  /**
   * Starts a tool, or joins the task of the same call: the unfinished one, which is resumed
   * when it is paused or orphaned, or a completed one that was not delivered yet.
   *
   * Durability: the task exists durably when this resolves.
   * @throws {@link ResumableError} `UNKNOWN_TOOL`, `INVALID_VALUE` (input), `LIMIT_EXCEEDED`, `DRAINING`;
   * `INVALID_OPTION` when plain JSON Schema has no validator.
   */
  start(request: StartRequest): Promise<StartedTask>;
  /**
   * Finds the task that a call with this tool and input made or would join: one of the same deduplication key, or of an equal input,
   * the newest unfinished one, else the newest. Resolves to `undefined` when none of the newest `maxFoundTasks` is. Nothing is started.
   *
   * @throws {@link ResumableError} `UNKNOWN_TOOL`, `INVALID_VALUE` (input), `LIMIT_EXCEEDED`.
   */
  find(call: Pick<StartRequest, "tool" | "input">): Promise<TaskView | undefined>;
  get(taskId: string): Promise<TaskView>;
  list(query?: OwnTaskQuery): Promise<TaskPage>;
  count(): Promise<TaskCounts>;
  /**
   * Follows a journal from behind a cursor until the task's final event or until `signal` aborts.
   *
   * Ordering: by seq, without gap or repeat. Cancellation: leaving the loop or aborting ends the following, never
   * the task.
   */
  follow(
    taskId: string,
    options?: { readonly afterSeq?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<Followed>;
  /** Waits until the task finished, asks or is paused, or until the time is over. */
  wait(taskId: string, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<WaitResult>;
  /**
   * Stops the task at its next checkpoint, resumable. Resolves when the request is durable.
   * @throws {@link ResumableError} `ILLEGAL_TRANSITION` for a finished or already paused task.
   */
  pause(taskId: string): Promise<TaskView>;
  /**
   * Lets a paused, waiting or orphaned task go on; makes a failed one begin a new generation from its last state.
   * A task that runs is left alone. @throws {@link ResumableError} `ILLEGAL_TRANSITION` for completed or cancelled.
   */
  resume(taskId: string): Promise<TaskView>;
  /** Ends the task. @throws {@link ResumableError} `ILLEGAL_TRANSITION` for a finished task. */
  cancel(taskId: string): Promise<TaskView>;
  /**
   * Answers a question.
   * @throws {@link ResumableError} `UNKNOWN_QUESTION`, `ALREADY_ANSWERED`, `INVALID_VALUE`.
   */
  answer(taskId: string, key: string, answer: Answer): Promise<TaskView>;
  /** Deletes a finished task. @throws {@link ResumableError} `ILLEGAL_TRANSITION` for an unfinished one. */
  delete(taskId: string): Promise<void>;
  /** Finds an artifact. @throws {@link ResumableError} `UNKNOWN_ARTIFACT`. */
  artifact(taskId: string, name: string): Promise<OwnedArtifact>;
  items(taskId: string, range?: { readonly after?: number; readonly limit?: number }): Promise<ItemPage>;
  /** The task needs no caller from now on: it resumes at once after a crash. */
  detach(taskId: string): Promise<void>;
  /**
   * Notes that the result of a completed task reached its caller: the same call begins a new task from now on. A task
   * that has not completed is left alone.
   *
   * Ordering: a `start` of this owner in this process that comes later sees it.
   */
  markDelivered(taskId: string): Promise<void>;
  /** Withdraws that note, since the caller gave up: the same call gets the result again. Ordering: the same. */
  withdrawDelivered(taskId: string): Promise<void>;
  /**
   * Counts a caller that waits for a plain call. The returned function says how it left: `cancelled` stops the task
   * at its next checkpoint, resumable, when no other caller waits and it is not detached (unless its tool says
   * `detach`); `gone` changes nothing.
   */
  addWaiter(taskId: string): (left: "cancelled" | "gone") => void;
}

/** Tasks that a drain leaves as they are. */
export type LeftTasks = readonly string[] | "all";

/** How an engine drains. */
export interface DrainOptions {
  readonly timeoutMs?: number;
  readonly leave?: LeftTasks;
}

/** Runs tasks. */
export interface Engine {
  /** Another list after {@link replaceTools}. */
  readonly tools: readonly Tool[];
  /** What servers keep across restarts in addition to tasks, by kind. */
  readonly documents: Documents;
  /** Ids of tasks that this process runs now. */
  readonly running: readonly string[];
  /** @throws {@link ResumableError} `UNKNOWN_TOOL`, naming the tools there are. */
  tool(name: string): Tool;
  /**
   * Refuses an input that is certainly larger than `maxInputBytes`, before anything copies or stores it. `start` measures what
   * this lets pass.
   * @throws {@link ResumableError} `LIMIT_EXCEEDED`.
   */
  checkInput(input: unknown): void;
  /**
   * Gives the validator for tools whose schemas are plain JSON Schema, unless there is one already. What serves an
   * engine calls it. Tasks of these tools, recovered ones included, run from then on.
   */
  useJsonSchemaValidator(validate: JsonSchemaValidator): void;
  /**
   * Replaces the tools, for a server whose tools are those of another server. What runs keeps the tool that it began with.
   * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
   */
  replaceTools(tools: readonly Tool[]): void;
  /**
   * Reads a task of any owner, or resolves to `undefined`: for a server that kept the id itself. What callers ask for
   * goes through `forOwner`.
   */
  readTask(taskId: string): Promise<TaskSnapshot | undefined>;
  /**
   * One owner's tasks. The owner is a tagged string: `sub:…`, `app:…`, `client:…`, `session:…` or `local:…`.
   *
   * @param options.reaches whose tasks are reached, too, by methods that take an id. Default: no other owner's. `all`, for an
   * operator: those of all owners, which `list` and `count` take too.
   */
  forOwner(owner: string, options?: { readonly reaches?: ((owner: string) => boolean) | "all" }): OwnedTasks;
  /**
   * Begins to look for work: recovery after a crash, due tasks, the sweep. Happens by itself at the first use of a
   * task; until then the store is not touched. Safe to repeat.
   */
  open(): Promise<void>;
  /** Deletes finished tasks whose time is over; runs by itself now and then. Resolves to how many. */
  sweep(): Promise<number>;
  /**
   * Stops taking work, lets attempts stop at their next checkpoint, and releases leases. What does not stop in time
   * is left to recovery. Resolves to the ids of tasks that had to be left.
   *
   * @param options.leave tasks that are left as they are, with their leases, in a process that is about to die of them: the next
   * process counts a death for each. `all` where nothing tells which task it is; so it is where none of them runs here.
   */
  drain(options?: DrainOptions): Promise<readonly string[]>;
  /** True from the beginning of `drain` on. */
  readonly draining: boolean;
  /** Aborts when `drain` begins, for the callers that wait. */
  readonly drainSignal: AbortSignal;
  /** Says which processes share the store, and what is unfinished there: of all owners, for operators. */
  survey(): Promise<ServerSurvey>;
  /** Resolves when the store can be used now, and rejects with the error that calls get while it cannot. */
  checkHealth(): Promise<void>;
  /** Tells the engine's observer of a point that a server reaches on behalf of a task. Never throws. */
  readonly observe: Observer;
  /** Drains, writes what is still to be noted, and closes the store. Safe to repeat. */
  close(): Promise<void>;
}
