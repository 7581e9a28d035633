import type { Duration } from "../duration.js";
import type { Json, JsonObject } from "../json.js";
import type { taskDefaults } from "../limits.js";
import type { LogLevel } from "../task/task-event.js";
import type { JsonCheck, Refused } from "./json-check.js";
import type { RetryPolicy } from "./retry-policy.js";
import type { AnySchema, InferInput, InferOutput, SchemaCheck } from "./schema.js";

/** What a tool yields: everything in it becomes durable and visible together, or not at all. Another key is refused. */
export interface Checkpoint<State = Json, Item = Json> {
  /** How far the task is, in units of `total`. Never lower than before. */
  readonly progress?: number;
  readonly total?: number;
  /** What the next attempt finds in `task.state`. Absent keeps the last one. */
  readonly state?: State;
  /** Output that grows: appended to the task's items. */
  readonly append?: readonly Item[];
  /** One line for people. */
  readonly message?: string;
}

/** A question to the user of a task. */
export interface AskRequest<Schema = AnySchema> {
  readonly message: string;
  /** A flat object of texts, numbers, booleans, choices and lists of choices, as MCP's forms are; another is refused. */
  readonly schema: Schema;
  /** After this time the answer is `expired`. Default: never. */
  readonly timeout?: Duration;
  /** Refuses answers that a model gives through `answer_task`. */
  readonly userOnly?: boolean;
}

/** What `task.ask` resolves to. */
export type AskResult<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel" | "expired" };

/** What one attempt of a step has in its hands. */
export interface StepAttempt {
  /** 1 for the first one. An attempt that a crash or a pause cut off is made again with the same number. */
  readonly attempt: number;
  /** Aborts when the attempt of the task has to stop, and when `timeout` is over. Hand it to whatever waits. */
  readonly signal: AbortSignal;
}

/** How a step is tried. */
export interface StepOptions {
  /** A failed attempt is made again, also in another process, as it says. Default: a failure is the tool's. */
  readonly retry?: RetryPolicy;
  /** An attempt that takes longer has failed, also one whose code ignores its signal. Default: no limit. */
  readonly timeout?: Duration;
}

/** What one attempt of an item of a map has in its hands. */
export interface MapAttempt extends StepAttempt {
  /** The place of the item, from 0 on. */
  readonly index: number;
  /** The same in every attempt, for services that accept idempotency keys. */
  readonly idempotencyKey: string;
}

/** How the items of a map are tried. */
export interface MapOptions extends StepOptions {
  /** So many items run at once, and are in memory; at most 1,000. Default 1. */
  readonly concurrency?: number;
  /** "stop" (default): the first item that fails ends the map. "collect": it is counted, and the log names it. */
  readonly onFailure?: "stop" | "collect";
}

/** What became of the items of a map. */
export interface MapCounts {
  readonly completed: number;
  readonly failed: number;
}

/** What an artifact is made of: text, bytes, or a stream of either, which is read piece by piece. */
export type ArtifactContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** How an artifact is described. */
export interface ArtifactOptions {
  /** Default: that of a `Blob`, `text/plain` for a text, else `application/octet-stream`. */
  readonly mimeType?: string;
}

/** What a running tool has in its hands. */
export interface TaskContext<State = Json, Item = Json> {
  readonly id: string;
  /** Whose task it is: a tagged string such as `sub:alice`. */
  readonly owner: string;
  /** When the call came (ISO 8601). */
  readonly createdAt: string;
  /** The state of the last checkpoint; at the beginning the tool's first state, copied for this task. */
  readonly state: State;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborts with a `TaskInterrupted` when the attempt has to stop. Hand it to whatever waits. */
  readonly signal: AbortSignal;
  /**
   * Runs something once and remembers its value for as long as the task lives.
   *
   * Retry: a value that was committed is never computed again. After a crash in between, the function runs again;
   * give what it calls `task.idempotencyKey(key)`. With `retry`, failures count across crashes, and a `TerminalError` ends them.
   *
   * @throws {@link ResumableError} `STEP_FAILED` when the attempts of `retry` are used up, with the last error as its cause;
   * `ATTEMPT_TIMEOUT`; `STEP_KEY_REUSED` for a key used twice in one attempt; `INVALID_VALUE`; `NOT_JSON`; `LIMIT_EXCEEDED`.
   */
  step<Value>(
    key: string,
    run: (attempt: StepAttempt) => Promise<Value & JsonCheck<Value>> | (Value & JsonCheck<Value>),
    options?: StepOptions,
  ): Promise<Value>;
  /**
   * Runs something once for each item of a list, or of anything to iterate over. Each result is appended to the task's items once, in
   * the order of the list; `undefined` appends nothing. Progress and, for a list, total count by themselves, on from what the task had.
   *
   * A crash, a pause or a failure repeats at most the `concurrency` items from the first one without a durable result, with the same
   * idempotency keys. The items must be JSON, and the same in each attempt: take them from a step, or from what does not change.
   *
   * Retry: `retry` and `timeout` are for each item. Failed attempts of an item are not durable: after a crash it begins with the first.
   * A verb in an item needs a key that no other item has; where an item has steps, give these the retry.
   *
   * @throws {@link ResumableError} `STEP_FAILED` with the index of the first item that failed, unless `onFailure` is "collect";
   * `MAP_ITEMS_CHANGED`; `STEP_KEY_REUSED`; `INVALID_VALUE`; `NOT_JSON`; `LIMIT_EXCEEDED`.
   * @example
   * const { completed } = await task.map("pages", urls, (url, { signal }) => summary(url, signal), { concurrency: 8 });
   */
  map<Of, Result>(
    key: string,
    items: Iterable<Of & JsonCheck<Of>> | AsyncIterable<Of & JsonCheck<Of>>,
    run: (
      item: Of,
      attempt: MapAttempt,
    ) => Promise<Result & ResultCheck<Result, Item>> | (Result & ResultCheck<Result, Item>),
    options?: MapOptions,
  ): Promise<MapCounts>;
  /**
   * Calls another tool of this server once and remembers its output for as long as the task lives. The call has a task of its own, of
   * the same owner, which runs in any process; the wait for it holds no slot, unless a step runs meanwhile: never call in a step, which
   * could take the slot that the call needs. Cancel, pause and resume reach it.
   *
   * Retry: when a failed task continues, so do its calls that failed. A restart from nothing calls again.
   *
   * @param tool the tool, or its name: then the types of input and output are not known.
   * @throws {@link ResumableError} `CHILD_FAILED` when that task failed or was cancelled; `UNKNOWN_TOOL`; `INVALID_VALUE` (input);
   * `STEP_KEY_REUSED`; `LIMIT_EXCEEDED` for an owner with too many tasks, more than `maxCallDepth` calls deep, or an output that is
   * larger than `maxStepBytes`.
   */
  call<Called extends Tool | string>(key: string, tool: Called, input: CallInput<Called>): Promise<CallOutput<Called>>;
  /** Asks the user. Survives restarts; takes at most one answer. */
  ask<Schema>(
    key: string,
    request: AskRequest<
      unknown extends Schema
        ? Refused<"a question is { message, schema }, such as schema: z.object({ … })">
        : Schema & SchemaCheck<Schema, "schema"> & FormCheck<InferInput<Schema>>
    >,
  ): Promise<AskResult<InferOutput<Schema>>>;
  /** Waits, also across restarts, until so long after the first time that this key was waited for. */
  sleep(key: string, duration: Duration): Promise<void>;
  /**
   * Keeps a file, which callers of the task can save: durable when the promise resolves, kept as long as the task.
   *
   * Retry: an artifact that is durable is never written again, as a step; a crash in between begins it again. `content` as a
   * function is called only where the artifact is not durable yet.
   * Limits: `maxArtifacts`, `maxArtifactBytes`; a stream is never read faster than it is kept.
   *
   * @param name 1 to 128 characters without slashes, backslashes and control characters.
   * @throws {@link ResumableError} `STEP_KEY_REUSED` for a name or key used twice in one attempt; `INVALID_VALUE`; `LIMIT_EXCEEDED`.
   */
  artifact(
    name: string,
    content: ArtifactContent | (() => ArtifactContent | Promise<ArtifactContent>),
    options?: ArtifactOptions,
  ): Promise<void>;
  /** Writes to the task's log. Rides with the next commit. */
  log<Data>(level: LogLevel, data: Data & JsonCheck<Data>): void;
  /** A key that is the same in every attempt of this task, for services that accept idempotency keys. */
  idempotencyKey(key: string): string;
  /** What all checkpoints appended so far, those of this attempt included, in order; ends at what is committed when the reading begins. */
  items(): AsyncIterable<Item>;
}

/** What is asked in a form is flat. A type that says nothing is checked when the tool asks. */
type FormCheck<Content> = [Json] extends [Content]
  ? unknown
  : Exclude<
        { [Key in keyof Content]: unknown extends Content[Key] ? never : Content[Key] }[keyof Content],
        string | number | boolean | readonly string[] | undefined
      > extends never
    ? unknown
    : Refused<"a form is flat: texts, numbers, booleans, choices and lists of choices">;

/** What an item of a map may give: an item of the task, or nothing. */
type ResultCheck<Result, Item> = [Json] extends [Item]
  ? JsonCheck<Exclude<Result, undefined>>
  : // biome-ignore lint/suspicious/noConfusingVoidType: an item may give nothing.
    Item | undefined | void;

/** Limits of one task; see `taskDefaults` for units and defaults. */
export type TaskLimits = { readonly [Name in keyof typeof taskDefaults]?: number };

/** A block of content of a tool's result, as MCP defines it (Tools, "Tool Result"). */
export type ContentBlock = JsonObject & { readonly type: string };

/** What a tool is, whatever its types are. */
export interface ToolFacts {
  /** Letters, digits, `_`, `-` and `.`; at most 64. */
  readonly name: string;
  readonly description: string;
  readonly title?: string;
  /** Of the tool's behaviour. Tasks of another version continue only where `accepts` names it. Default "1". */
  readonly version?: string;
  /** The other versions whose tasks this one continues, as `onVersionChange` and `migrate` say; `*` is any. Default: none. */
  readonly accepts?: readonly string[];
  /** MCP's tool annotations: `readOnlyHint`, `idempotentHint` … */
  readonly annotations?: JsonObject;
  readonly icons?: readonly JsonObject[];
  readonly retry?: RetryPolicy;
  readonly limits?: TaskLimits;
  /** An attempt that takes longer is stopped and fails. Default: no limit. */
  readonly attemptTimeout?: Duration;
  /** An attempt that commits nothing for longer is stopped and fails. Default: no limit. */
  readonly stallTimeout?: Duration;
  /** Tasks of this tool that run at once in one process. */
  readonly maxRunning?: number;
  /** Tasks of this tool that run at once in all processes on one store; 1 to 1000. It counts tasks, not their steps. */
  readonly maxRunningInStore?: number;
  /**
   * Tasks of this tool that begin within any such time, in all processes on one store and across restarts; `limit` is 1 to 1000. Others
   * wait. A task that continues counts and waits no second time.
   */
  readonly rate?: { readonly limit: number; readonly per: Duration };
  /** How long finished tasks are kept. Default: the engine's. */
  readonly ttl?: Duration;
  /** How long a call may last before a caller with a time limit is handed off. Default 45 s. */
  readonly handoffAfter?: Duration;
  /** What happens to the task when the request that waits for it is cancelled. Default "stop". */
  readonly onCallerCancel?: "stop" | "detach";
  /**
   * What the same call does after a failure. Default "continue": a new generation from the last checkpoint; "restart":
   * a new task from nothing. After a `TerminalError` and a cancellation it is always a new task.
   */
  readonly onFailure?: "continue" | "restart";
  /** What happens to an unfinished task of another version. Default "resume". */
  readonly onVersionChange?: "resume" | "restart" | "fail";
  /**
   * Lists the argument `client_id`, by which client programs name the caller: every tool takes it whose own schema does not
   * declare it. Where the schema does, it is the tool's data, and this option lets it name callers that are not local, too.
   */
  readonly clientIdArgument?: boolean;
  /**
   * OAuth scopes that a caller's token must have to call the tool, or to reach its tasks. A caller without a token has
   * none, except the user of this machine, who needs none. Source: RFC 6749, section 3.3.
   */
  readonly requiredScopes?: readonly string[];
  /** Whether a client must, may or must not use a task where its era has them. Default "optional". */
  readonly taskSupport?: "required" | "optional" | "forbidden";
}

/** A tool as the engine knows it; made by `defineTool`. */
export interface Tool extends ToolFacts {
  readonly kind: "generator" | "function";
  readonly version: string;
  readonly input: AnySchema;
  readonly output?: AnySchema;
  readonly item?: AnySchema;
  /** The first state or its schema; `undefined` when the tool has none. */
  readonly state?: unknown;
  /** The shape of a first state that has no schema. */
  readonly stateShape?: string;
  readonly durable?: boolean;
  readonly inputJsonSchema: JsonObject;
  readonly outputJsonSchema?: JsonObject;
  readonly migrate?: (state: Json, fromVersion: string) => unknown;
  readonly content: (output: Json) => readonly ContentBlock[];
  readonly key?: (input: unknown) => Json | null;
  readonly label?: (input: unknown) => unknown;
  /**
   * The entry of another server's list of tools, which is listed as it is: the tool is one call of that tool. Its output is the
   * response: `{ result }` or `{ error }`, which the caller gets unchanged.
   */
  readonly mirrors?: JsonObject;
  readonly run: (
    input: unknown,
    task: TaskContext<unknown, unknown>,
  ) => AsyncGenerator<Checkpoint<unknown, unknown>, unknown, void> | Promise<unknown>;
}

/** A tool with the types of what its callers send and get. */
export interface TypedTool<Input, Output> extends Tool {
  /** No value has this: it carries the types. */
  readonly [types]?: (input: Input) => Output;
}
declare const types: unique symbol;

type CallInput<Called> = Called extends TypedTool<infer Input, infer _Output> ? Input : Json;
type CallOutput<Called> = Called extends TypedTool<infer _Input, infer Output> ? Output : Json;
