import type { Json, JsonObject } from "../json.js";

/** What a task is when it is made; the first event of its journal carries exactly this. */
export interface NewTask {
  /** 16 to 64 characters out of `A-Z a-z 0-9 _ -`; not to be guessed. */
  readonly id: string;
  /** Whose task it is, tagged: `sub:…`, `app:…`, `client:…`, `session:…` or `local:…`. */
  readonly owner: string;
  readonly tool: string;
  readonly toolVersion: string;
  /** What "the same call" means for this owner: a hash of tool and input; `null` never joins a task. */
  readonly key: string | null;
  /** The raw input as the caller sent it, before the tool's schema filled in defaults. */
  readonly input: Json;
  /** The connection by which the task was started, if there was one. */
  readonly session?: string;
  /** It needs no caller: when its process dies, another one continues with it at once. */
  readonly detached: boolean;
  /** How long the task is kept after it finished, in milliseconds. */
  readonly ttlMs: number;
  /** The trace of the call that made it, which its attempts continue. */
  readonly trace?: TraceContext | undefined;
  /** One line that names the task among others of its tool, for its owner alone; made of its input. */
  readonly label?: string | undefined;
  /** The task that called it, by `task.call`. */
  readonly parent?: ParentTask | undefined;
  /** The versions of the tool that the process offered which made the task. Reserved, as is the next: kept by every store, used by nothing yet. */
  readonly offeredVersions?: readonly string[];
  /** The quotas of its owner when the task was made, by name. */
  readonly ownerQuotas?: { readonly [quota: string]: number };
}

/** The task that called another one. */
export interface ParentTask {
  readonly id: string;
  /** The key of the call in it. */
  readonly key: string;
  /** How many calls deep the called task is: 1 below a task that has no parent. */
  readonly depth: number;
}

/** A trace as HTTP headers carry it. Source: W3C Trace Context, sections 3.2 and 3.3. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Why a task or an attempt failed. Never carries a stack: that is its event's. */
export interface TaskFailure {
  readonly code: string;
  readonly message: string;
  /** To continue would fail again: the same call begins a new task. */
  readonly terminal?: true;
  /** The tool's author says that the message is for the caller. */
  readonly forCaller?: true;
}

/** Levels of `task.log`, as in MCP's logging utility (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a tool asks its user. */
export interface Question {
  readonly message: string;
  /** A flat JSON Schema of an object with primitive properties, as MCP's form elicitation allows. */
  readonly schema: JsonObject;
  /** ISO 8601; after this time the question counts as answered with `expired`. */
  readonly expiresAt?: string;
  /** Only a person may answer, not a model through `answer_task`. */
  readonly userOnly?: boolean;
}

/** What came back for a question. */
export type Answer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" | "cancel" | "expired" };

/** How far a `task.map` is. */
export interface MapProgress {
  readonly key: string;
  /** So many of its items are done, in order, those included that failed. */
  readonly at: number;
  readonly failed: number;
  /** Of the items that are done. */
  readonly digest: string;
  /** It has no more items. */
  readonly done?: true;
}

/** What happened to a task, without its place in the journal. */
export type TaskEventBody =
  | { readonly type: "created"; readonly task: NewTask }
  | {
      readonly type: "attempt_started";
      readonly attempt: number;
      readonly worker: string;
      readonly toolVersion: string;
      /** The shape of the tool's first state; see `describeStateShape`. */
      readonly stateShape?: string;
    }
  | {
      readonly type: "attempt_ended";
      readonly reason: "paused" | "drained" | "yielded" | "waiting" | "retry" | "crashed" | "interrupted";
      /** ISO 8601; not to be run again before this time. */
      readonly runnableAt?: string;
      readonly error?: TaskFailure;
      readonly stack?: string;
    }
  | {
      readonly type: "checkpoint";
      readonly progress?: number;
      readonly total?: number;
      readonly message?: string;
      /** Absent keeps the last state. */
      readonly state?: Json;
      /** Appended to the task's items. */
      readonly items?: readonly Json[];
      /** The size of `items`, in bytes of JSON. */
      readonly itemBytes?: number;
      /** It is one of a `task.map`, whose results these are. */
      readonly map?: MapProgress;
    }
  | { readonly type: "step"; readonly key: string; readonly value: Json; readonly ms?: number }
  | {
      readonly type: "step_failed";
      readonly key: string;
      /** How long the attempt took, in milliseconds, as in `step`; absent: less than one. */
      readonly ms?: number;
      readonly attempt: number;
      readonly error: TaskFailure;
      readonly stack?: string;
      /** ISO 8601; when the next attempt begins. Absent: none does, and the step fails in its tool. */
      readonly until?: string;
    }
  | { readonly type: "called"; readonly key: string; readonly tool: string; readonly child: string }
  | { readonly type: "returned"; readonly key: string; readonly value: Json }
  | {
      readonly type: "call_failed";
      readonly key: string;
      /** That of the child in which it failed. */
      readonly generation: number;
      readonly error: TaskFailure;
    }
  | {
      /** The chunks of the artifact are in the store. */
      readonly type: "artifact";
      /** Its name. */
      readonly key: string;
      /** By which the store has its chunks. */
      readonly artifact: string;
      readonly mimeType: string;
      readonly bytes: number;
    }
  | { readonly type: "sleep"; readonly key: string; readonly until: string }
  | { readonly type: "asked"; readonly key: string; readonly question: Question }
  | { readonly type: "answered"; readonly key: string; readonly answer: Answer }
  | {
      /**
       * What the attempt waits for, where `asked`, `called` and `sleep` do not say it: the next attempt of a step, waits of an
       * earlier attempt to which it came back, or (no key) nothing, since it runs a step meanwhile.
       */
      readonly type: "waiting";
      readonly keys: readonly string[];
    }
  | {
      readonly type: "log";
      readonly level: LogLevel;
      readonly data: Json;
      /** What failed in the tool, where the toolkit wrote the line; `data` ends with its message. */
      readonly error?: TaskFailure;
    }
  | { readonly type: "desiredState"; readonly desiredState: "run" | "pause"; readonly cause?: "caller_left" }
  | { readonly type: "detached" }
  | {
      /** Code that would have run the task cannot read it. The task waits for other code, or for an operator. */
      readonly type: "refused";
      /** The version of that code. */
      readonly by: string;
      /** What the task stays, whichever attempt ended with this: the version of its last code, and its shape. */
      readonly toolVersion: string;
      readonly stateShape?: string;
      /** One line for people: why, which version it needs, and what to do. */
      readonly message: string;
    }
  | {
      /** An operator decided that this version continues the task, whatever it declares. */
      readonly type: "assigned";
      readonly toolVersion: string;
    }
  | {
      /** A new generation: progress may begin again. `fromState` false forgets state and remembered keys. */
      readonly type: "restarted";
      readonly generation: number;
      readonly fromState: boolean;
    }
  | { readonly type: "completed"; readonly output: Json }
  | {
      readonly type: "failed";
      readonly error: TaskFailure;
      /** Where the tool threw: lines that begin with `at`. */
      readonly stack?: string;
    }
  | { readonly type: "cancelled"; readonly reason?: string };

/** One event of a task's journal. */
export type TaskEvent = TaskEventBody & {
  /** Place in the journal: 1, 2, 3 … without a gap. */
  readonly seq: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** Tells whether an event ends its task (until a `restarted` event, if one ever comes). */
export function isFinalEvent(event: TaskEventBody): boolean {
  return event.type === "completed" || event.type === "failed" || event.type === "cancelled";
}

const pinned = /^JSON_RPC_(-32[0-9]{3})$/;

/**
 * The code under which a thrown JSON-RPC error is kept, or `undefined` for any other error.
 *
 * Only the range that JSON-RPC reserves counts (-32768 to -32000): other libraries number their errors too.
 */
export function rpcFailureCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  const { code } = error;
  const reserved = Number.isInteger(code) && Number(code) >= -32_768 && Number(code) <= -32_000;
  return reserved ? `JSON_RPC_${String(code)}` : undefined;
}

/** The JSON-RPC code that a tool ended its task with, or `undefined` when it failed in any other way. */
export function readRpcCode(failure: TaskFailure): number | undefined {
  const code = pinned.exec(failure.code)?.[1];
  return code === undefined ? undefined : Number(code);
}
