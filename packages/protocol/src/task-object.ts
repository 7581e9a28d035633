import type { JsonObject, TaskStatus, TaskView } from "@resumable-mcp/core";
import type { OpenQuestion } from "@resumable-mcp/core/engine";
import { finalStatuses, unfinishedStatuses } from "@resumable-mcp/core/store";
import { definedOnly, JsonFields } from "./json-fields.js";
import { decodeArtifacts, encodeArtifacts, type TaskArtifact } from "./task-artifact.js";
import { type ChildFacts, decodeChildren, decodeParent, encodeFamily, type ParentFacts } from "./task-family.js";

/** Which call continues a failed task: the same call and `resume_task`, `resume_task` alone, or none. */
export const continueWays = ["by_call", "by_resume", "never"] as const;

/** What has no free place for a task: its owner, its tool or its process. */
const slotLimits = ["owner", "tool", "process", "store", "rate"] as const;

/** Why a task failed. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  /** How far the task came, and what continues it, as a sentence. */
  readonly continuation?: string;
  readonly continues?: (typeof continueWays)[number];
}

/** What a task asks its user. */
export interface TaskQuestion {
  readonly key: string;
  readonly message: string;
  /** A flat JSON Schema of the answer's content. */
  readonly schema: JsonObject;
  /** ISO 8601 UTC. */
  readonly expiresAt?: string;
  /** Only a person may answer. */
  readonly userOnly: boolean;
}

/** What a server says of one task. Times are ISO 8601 UTC. */
export interface TaskFacts {
  readonly id: string;
  readonly tool: string;
  /** What people call the tool. */
  readonly title?: string;
  /** One line that names the task among others of its tool. */
  readonly label?: string;
  /** Whose it is, where an operator asked for the tasks of all owners. */
  readonly owner?: string;
  readonly status: TaskStatus;
  /** The process that ran it died, and no other has taken it over yet. */
  readonly interrupted: boolean;
  readonly progress: number;
  readonly total?: number;
  /** 0 to 100, rounded down. */
  readonly percent?: number;
  readonly message?: string;
  readonly attempt: number;
  readonly generation: number;
  readonly itemCount: number;
  readonly lastSeq: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly finishedAt?: string;
  readonly questions: readonly TaskQuestion[];
  /** The files that it made; lists do not say them. */
  readonly artifacts?: readonly TaskArtifact[];
  /** What was requested of it and has not happened yet; lists do not say it. */
  readonly requested?: "pause" | "cancel";
  /** Keys of its questions whose answer is on its way to it; lists do not say it. */
  readonly answered?: readonly string[];
  /**
   * Why it is `pending` though it may run; `running` is how many of its owner's tasks run, `until` when its tool's rate next lets
   * a task begin. Lists do not say it.
   */
  readonly waitsFor?: {
    readonly limit: (typeof slotLimits)[number];
    readonly running?: number;
    readonly until?: string;
  };
  readonly parent?: ParentFacts;
  /** Those that it called last; absent: none. Lists do not say it. */
  readonly children?: readonly ChildFacts[];
  readonly error?: TaskError;
}

/** What a server knows of a task besides what is stored. */
export interface TaskRemarks {
  readonly title?: string | undefined;
  readonly error?: TaskError | undefined;
}

/** Writes a task as control tools show it; docs/control-tools.md, "The task object". */
export function encodeTask(view: TaskView, { title, error }: TaskRemarks = {}): JsonObject {
  const { record, status, interrupted, questions, requested, answered, waitsFor } = view;
  const { progress, total } = record;
  const percent = status === "completed" ? 100 : total === undefined ? undefined : toPercent(progress, total);
  return definedOnly({
    task_id: record.id,
    task_name: record.tool,
    title,
    label: record.label,
    status,
    interrupted,
    progress,
    total,
    progress_percent: percent,
    message: record.message,
    attempt: record.attempt,
    generation: record.generation,
    item_count: record.itemCount,
    last_seq: record.lastSeq,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    finished_at: record.finishedAt,
    questions: questions.length > 0 ? encodeQuestions(questions) : undefined,
    artifacts: encodeArtifacts(record),
    requested,
    answered,
    waits_for: waitsFor && { ...waitsFor },
    ...encodeFamily(record),
    error: error === undefined ? undefined : definedOnly({ ...error }),
  });
}

/** The same for lists, where `progress` is a text such as `15/50`. */
export function encodeListedTask(view: TaskView, remarks: TaskRemarks = {}): JsonObject {
  const { progress, total } = view.record;
  const shown = total === undefined ? String(progress) : `${progress}/${total}`;
  const { children: _, artifacts: _files, ...task } = encodeTask(view, remarks);
  return { ...task, progress: shown, progress_value: progress };
}

/** Reads a task object, also one of a list; `undefined` when the value is not one. */
export function decodeTask(value: unknown): TaskFacts | undefined {
  const fields = JsonFields.of(value);
  const [id, tool] = [fields?.text("task_id"), fields?.text("task_name")];
  const status = fields?.oneOf("status", [...unfinishedStatuses, ...finalStatuses]);
  if (fields === undefined || id === undefined || tool === undefined || status === undefined) return undefined;
  const percent = fields.number("progress_percent");
  return {
    id,
    tool,
    title: fields.text("title"),
    label: fields.text("label"),
    owner: fields.text("owner"),
    status,
    interrupted: fields.flag("interrupted"),
    progress: fields.number("progress_value") ?? fields.number("progress") ?? 0,
    total: fields.number("total"),
    percent: percent === undefined ? undefined : Math.floor(percent),
    message: fields.text("message"),
    attempt: fields.number("attempt") ?? 0,
    generation: fields.number("generation") ?? 1,
    itemCount: fields.number("item_count") ?? 0,
    lastSeq: fields.number("last_seq") ?? 0,
    createdAt: fields.text("created_at"),
    updatedAt: fields.text("updated_at"),
    finishedAt: fields.text("finished_at"),
    questions: decodeQuestions(fields),
    artifacts: decodeArtifacts(fields),
    requested: fields.oneOf("requested", ["pause", "cancel"]),
    ...decodeWaits(fields),
    parent: decodeParent(fields.object("parent")),
    children: decodeChildren(fields),
    error: decodeError(fields.object("error")),
  };
}

function decodeWaits(fields: JsonFields): Pick<TaskFacts, "answered" | "waitsFor"> {
  const answered = fields.list("answered").filter((key): key is string => typeof key === "string");
  const waits = JsonFields.of(fields.object("waits_for"));
  const limit = waits?.oneOf("limit", slotLimits);
  return {
    ...(answered.length > 0 && { answered }),
    ...(limit !== undefined && { waitsFor: { limit, running: waits?.number("running"), until: waits?.text("until") } }),
  };
}

/** Reads a page of `list_session_tasks`; an entry that is not a task is left out. */
export function decodeTaskPage(value: unknown) {
  const fields = JsonFields.of(value);
  return {
    tasks: (fields?.list("tasks") ?? []).flatMap((entry) => decodeTask(entry) ?? []),
    total: fields?.number("total_tasks"),
    nextCursor: fields?.text("next_cursor"),
  };
}

/** Reads the answer of `get_checkpoint_stats`: how many tasks there are of each status, and of all. */
export function decodeStats(value: unknown) {
  const fields = JsonFields.of(value);
  const failed = fields?.object("failed_by_tool");
  return {
    counts: numbersIn(fields?.object("checkpoint_stats")),
    total: fields?.number("total_checkpoints") ?? 0,
    failedByTool: failed && numbersIn(failed),
  };
}

function numbersIn(counts: JsonObject = {}): Readonly<Record<string, number>> {
  const entries = Object.entries(counts);
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

/** A task that is not finished, as the result of a wait or of a handoff describes it. */
export interface InterimResult {
  readonly status: (typeof unfinishedStatuses)[number];
  readonly taskId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** The control tool to call next, with its prefix. */
  readonly nextTool: string;
  readonly questions: readonly TaskQuestion[];
}

/**
 * Writes the structured content of an interim result; `questions` only where the task waits for answers, and `message` where it waits
 * for code that can read it.
 */
export function encodeInterim(
  { record: { id, progress, total, refused, message } }: TaskView,
  status: InterimResult["status"],
  nextTool: string,
  questions?: readonly OpenQuestion[],
): JsonObject {
  return definedOnly({
    status,
    task_id: id,
    progress,
    total,
    message: refused && message,
    next_tool: nextTool,
    questions: questions && encodeQuestions(questions),
  });
}

/** Reads an interim result; `undefined` when a result is something else, a task object included. */
export function decodeInterim(value: unknown): InterimResult | undefined {
  const fields = JsonFields.of(value);
  const [taskId, nextTool] = [fields?.text("task_id"), fields?.text("next_tool")];
  const status = fields?.oneOf("status", unfinishedStatuses);
  if (fields === undefined || taskId === undefined || nextTool === undefined || status === undefined) return undefined;
  if (fields.text("task_name") !== undefined) return undefined;
  return {
    status,
    taskId,
    nextTool,
    progress: fields.number("progress") ?? 0,
    total: fields.number("total"),
    message: fields.text("message"),
    questions: decodeQuestions(fields),
  };
}

/** Reads the failure out of a result's structured content; `undefined` when the result names none. */
export function decodeFailure(structured: unknown): TaskError | undefined {
  return decodeError(JsonFields.of(structured)?.object("error"));
}

/** Writes open questions. */
export function encodeQuestions(open: readonly OpenQuestion[]): readonly JsonObject[] {
  return open.map(({ key, question }) =>
    definedOnly({
      key,
      message: question.message,
      schema: question.schema,
      expires_at: question.expiresAt,
      user_only: question.userOnly ?? false,
    }),
  );
}

function decodeQuestions(fields: JsonFields): readonly TaskQuestion[] {
  return fields.list("questions").flatMap((value) => {
    const question = JsonFields.of(value);
    const [key, message] = [question?.text("key"), question?.text("message")];
    if (question === undefined || key === undefined || message === undefined) return [];
    const schema = question.object("schema") ?? {};
    return [{ key, message, schema, expiresAt: question.text("expires_at"), userOnly: question.flag("user_only") }];
  });
}

function decodeError(value: JsonObject | undefined): TaskError | undefined {
  const fields = JsonFields.of(value);
  const [code, message] = [fields?.text("code"), fields?.text("message")];
  if (fields === undefined || code === undefined || message === undefined) return undefined;
  return {
    code,
    message,
    continuation: fields.text("continuation"),
    continues: fields.oneOf("continues", continueWays),
  };
}

/** Percents with one decimal, rounded down, 100 only at the end. */
export function toPercent(progress: number, total: number): number {
  return total <= 0 ? 0 : Math.min(100, Math.floor((progress * 1000) / total) / 10);
}

/** The parts of a task that are resources. */
export type TaskPart = "task" | "journal" | "items";

/** The URI of a task, or of a part of it. */
export function taskUri(taskId: string, part: TaskPart = "task"): string {
  return part === "task" ? `task://${taskId}` : `task://${taskId}/${part}`;
}

/** Reads the URI of a task; `undefined` for any other URI. */
export function parseTaskUri(uri: string): { readonly taskId: string; readonly part: TaskPart } | undefined {
  const [, taskId, suffix] = /^task:\/\/([A-Za-z0-9_-]{16,64})(?:\/(journal|items))?$/.exec(uri) ?? [];
  if (taskId === undefined) return undefined;
  return { taskId, part: suffix === "journal" || suffix === "items" ? suffix : "task" };
}
