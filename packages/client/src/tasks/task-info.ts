import { z } from "zod";
import { type Json, type JsonObject, jsonObjectSchema } from "../json.js";

/** Status of a task. The last three are final. */
export type TaskStatus = "pending" | "running" | "paused" | "input_required" | "completed" | "failed" | "cancelled";

/** The statuses of tasks that are not over. */
export const unfinishedStatuses: readonly TaskStatus[] = ["pending", "running", "paused", "input_required"];

/** The statuses after which nothing happens any more. */
export type FinalStatus = Extract<TaskStatus, "completed" | "failed" | "cancelled">;

/** Tells whether a task of this status is over. */
export function isFinal(status: TaskStatus): status is FinalStatus {
  return !unfinishedStatuses.includes(status);
}

/** What a task asks its user. */
export interface Question {
  readonly key: string;
  readonly message: string;
  /** A flat JSON Schema of the answer's content. */
  readonly schema: JsonObject;
  readonly expiresAt?: string;
  /** Only a person may answer. */
  readonly userOnly: boolean;
}

/** Why a task failed, and what of it a server with checkpoints says besides. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  /** How far the task came, and what continues it, as a sentence. */
  readonly continuation?: string;
  /** The same call continues the task, only `resume` does, or nothing. */
  readonly continues?: "by_call" | "by_resume" | "never";
}

/** What a server says of one task. Times are ISO 8601 UTC. */
export interface TaskInfo {
  readonly id: string;
  readonly tool: string;
  /** The address of the server that runs it. */
  readonly server: string;
  readonly status: TaskStatus;
  /** The process that ran it died and none has taken it over yet. */
  readonly interrupted: boolean;
  readonly progress: number;
  readonly total?: number;
  readonly percent?: number;
  readonly message?: string;
  readonly attempt: number;
  readonly generation: number;
  readonly itemCount: number;
  readonly lastSeq: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly finishedAt?: string;
  readonly questions: readonly Question[];
  readonly error?: TaskError;
}

const status = z.enum(["pending", "running", "paused", "input_required", "completed", "failed", "cancelled"]);

/** A question on the wire. */
export const wireQuestion = z
  .object({
    key: z.string(),
    message: z.string(),
    schema: jsonObjectSchema.default({}),
    expires_at: z.string().optional(),
    user_only: z.boolean().default(false),
  })
  .transform(
    (wire): Question => ({
      key: wire.key,
      message: wire.message,
      schema: wire.schema,
      userOnly: wire.user_only,
      ...(wire.expires_at === undefined ? {} : { expiresAt: wire.expires_at }),
    }),
  );

/** The failure of a task on the wire. */
const wireError = z
  .object({
    code: z.string(),
    message: z.string(),
    continuation: z.string().optional(),
    continues: z.enum(["by_call", "by_resume", "never"]).optional().catch(undefined),
  })
  .transform(({ code, message, ...more }): TaskError => ({ code, message, ...withoutUndefined(more) }));

/** The task object on the wire; in lists `progress` is a text for people and `progress_value` the number. */
const wireTask = z.object({
  task_id: z.string(),
  task_name: z.string(),
  status,
  interrupted: z.boolean().default(false),
  progress: z.union([z.number(), z.string()]).default(0),
  progress_value: z.number().optional(),
  total: z.number().optional(),
  progress_percent: z.number().optional(),
  message: z.string().optional(),
  attempt: z.number().default(0),
  generation: z.number().default(1),
  item_count: z.number().default(0),
  last_seq: z.number().default(0),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  finished_at: z.string().optional(),
  questions: z.array(wireQuestion).default([]),
  error: wireError.optional(),
});

/** What a wait answers while the task is not over. */
const wireInterim = z.object({
  status: z.enum(["pending", "running", "paused", "input_required"]),
  task_id: z.string(),
  next_tool: z.string(),
  progress: z.number().optional(),
  total: z.number().optional(),
  message: z.string().optional(),
  questions: z.array(wireQuestion).default([]),
});

/** A task that is not over, as a wait or a hand-off tells of it. */
export type Interim = z.infer<typeof wireInterim>;

/** Parses a task object, or returns `undefined` where there is none. */
export function parseTaskInfo(value: unknown, server: string): TaskInfo | undefined {
  const { success, data } = wireTask.safeParse(value);
  if (!success) return undefined;
  const progress = data.progress_value ?? (typeof data.progress === "number" ? data.progress : 0);
  const optional = {
    total: data.total,
    // Whole percents, as those of progress are.
    percent: data.progress_percent === undefined ? undefined : Math.floor(data.progress_percent),
    message: data.message,
    createdAt: data.created_at,
    updatedAt: data.updated_at,
    finishedAt: data.finished_at,
    error: data.error,
  };
  return {
    id: data.task_id,
    tool: data.task_name,
    server,
    status: data.status,
    interrupted: data.interrupted,
    progress,
    attempt: data.attempt,
    generation: data.generation,
    itemCount: data.item_count,
    lastSeq: data.last_seq,
    questions: data.questions,
    ...withoutUndefined(optional),
  };
}

/** Parses the answer "still running", or returns `undefined` where a result is something else. */
export function parseInterim(structured: Json | undefined): Interim | undefined {
  const { success, data } = wireInterim.safeParse(structured);
  return success ? data : undefined;
}

/** Parses why a task failed out of its result, or returns `undefined` where a result says nothing of it. */
export function parseTaskError(structured: Json | undefined): TaskError | undefined {
  return z.object({ error: wireError }).safeParse(structured).data?.error;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops what is `undefined`, since an optional field is absent, never `undefined`. */
function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Defined<T>;
}
