import {
  type ContentBlock,
  type Engine,
  isJsonObject,
  isResumableError,
  type JsonObject,
  type TaskRecord,
  type TaskView,
} from "@resumable-mcp/core";
import { isContinuable } from "@resumable-mcp/core/store";
import {
  definedOnly,
  encodeInterim,
  encodeListedTask,
  encodeTask,
  metaKeys,
  percentOf,
  type TaskError,
} from "@resumable-mcp/protocol";

/** The result of a tool call. Source: MCP, Tools, "Tool Result". */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** A result of data, with the same as JSON text. */
export function dataResult(data: JsonObject, sentence?: string): ToolResult {
  return { content: [text(sentence ?? JSON.stringify(data))], structuredContent: data };
}

/** A failure as a result: tools report errors in results, so that models can read them. */
export function errorResult(code: string, message: string): ToolResult {
  return { content: [text(message)], structuredContent: { error: { code, message } }, isError: true };
}

/** Makes a result of whatever was thrown; nothing of an unexpected error's inside reaches the caller. */
export function thrownResult(error: unknown): ToolResult {
  if (isResumableError(error)) return errorResult(error.code, error.message);
  return errorResult("INTERNAL", "The server failed to carry out the call. Its log says more.");
}

/**
 * What is wrong with a call of a resumable tool whose arguments are certainly too large, before anything stores or copies them.
 * `undefined` for everything else.
 */
export function inputProblem(engine: Engine, message: unknown): unknown {
  if (!isJsonObject(message) || message.method !== "tools/call" || !isJsonObject(message.params)) return undefined;
  const { name, arguments: input } = message.params;
  if (!["string", "number"].includes(typeof message.id) || !engine.tools.some((tool) => tool.name === name))
    return undefined;
  try {
    engine.checkInput(input);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The result of a finished task: what its tool returned, or why there is nothing. */
export function finishedResult(engine: Engine, view: TaskView, reused: boolean): ToolResult {
  const { record } = view;
  const _meta: JsonObject = { ...taskMeta(view), ...(reused ? { [metaKeys.reused]: true } : {}) };
  if (record.status === "completed") return { ...outputResult(engine, record), _meta };
  if (record.status === "cancelled") {
    return { ...errorResult("CANCELLED", `Task ${record.id} (${record.tool}) was cancelled.`), _meta };
  }
  return { ...failedResult(engine, record), _meta };
}

/** Says why a task failed, how far it came, and how to continue. */
function failedResult(engine: Engine, record: TaskRecord): ToolResult {
  const failure = failureOf(engine, record);
  const { progress, total } = record;
  const error = definedOnly({ ...failure, task_id: record.id, progress, total });
  return {
    content: [text(`${failure.message} ${failure.continuation}`)],
    structuredContent: { error },
    isError: true,
  };
}

/** Why a task failed, and how it continues: the same wherever the failure is shown. */
type FailureReport = Required<TaskError>;

/** Says why a task failed and how it continues. */
function failureOf(engine: Engine, record: TaskRecord): FailureReport {
  const { code, message } = record.error ?? { code: "TOOL_FAILED", message: `Task ${record.id} failed.` };
  const continues = continuesBy(engine, record);
  return { code, message, continuation: continuationOf(record, continues), continues };
}

/** Decides it as `start` of the engine does. */
function continuesBy(engine: Engine, record: TaskRecord): FailureReport["continues"] {
  if (!isContinuable(record)) return "never";
  const tool = engine.tools.find(({ name }) => name === record.tool);
  return record.key !== null && tool?.onFailure !== "restart" ? "by_call" : "by_resume";
}

const continuations: Readonly<Record<FailureReport["continues"], string>> = {
  by_call: "the same call continues the task from its last checkpoint.",
  by_resume: "resume_task continues the task from its last checkpoint, and the same call starts from the beginning.",
  never: "the same call starts from the beginning.",
};

function continuationOf(record: TaskRecord, continues: FailureReport["continues"]): string {
  const sentence = continuations[continues];
  if (record.progress > 0) return `The task reached ${progressText(record)}; ${sentence}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function outputResult(engine: Engine, { tool, output = null }: TaskRecord): ToolResult {
  const known = engine.tools.find(({ name }) => name === tool);
  const content = known === undefined ? [text(JSON.stringify(output))] : known.content(output);
  return isJsonObject(output) ? { content, structuredContent: output } : { content };
}

const nextTools = { running: "wait_for_task", paused: "resume_task", input_required: "answer_task" } as const;

/** Says that a task is not finished, and which control tool is to be called next. */
export function interimResult(view: TaskView, status: keyof typeof nextTools, prefix: string): ToolResult {
  const { id, tool, refused, message } = view.record;
  const at = progressText(view.record);
  const next = `${prefix}${nextTools[status]}`;
  const again = `Call ${next} with ${JSON.stringify({ task_id: id })}`;
  const asked = view.questions.map(({ key, question }) => `"${question.message}" (key ${key})`).join(", ");
  const sentences = {
    running:
      refused === undefined
        ? `Still running: ${at}. Do not call ${tool} again. ${again} now, and again until the task's status is completed. The user may also come back later.`
        : `Not running: ${at}. ${message} Tell the user, and do not call ${tool} again. ${again} later: the task continues when such code is there.`,
    paused: `Task ${id} (${tool}) is paused at ${at}. Nothing is lost: ${next} or the same call continues it.`,
    input_required: `Task ${id} (${tool}) waits for an answer: ${asked}. Ask the user; never answer for them. Then call ${next} with the task_id, the key and the answer.`,
  };
  const data = encodeInterim(view, status, next, status === "input_required" ? view.questions : undefined);
  return { ...dataResult(data, sentences[status]), _meta: { ...taskMeta(view), [metaKeys.status]: status } };
}

/** What `_meta` of a result says of its task. */
function taskMeta({ record, status }: TaskView): JsonObject {
  return { [metaKeys.taskId]: record.id, [metaKeys.seq]: record.lastSeq, [metaKeys.status]: status };
}

/** A task as control tools show it. */
export function taskObject(engine: Engine, view: TaskView): JsonObject {
  return encodeTask(view, errorOf(engine, view));
}

/** The same for lists. */
export function listedTask(engine: Engine, view: TaskView): JsonObject {
  return encodeListedTask(view, errorOf(engine, view));
}

function errorOf(engine: Engine, { record }: TaskView): TaskError | undefined {
  return record.error === undefined ? undefined : failureOf(engine, record);
}

/** `15/50 (30 %)`, or what is known of it. */
export function progressText({ progress, total }: { readonly progress: number; readonly total?: number }): string {
  return total === undefined
    ? `${progress} done`
    : `${progress}/${total} (${Math.floor(percentOf(progress, total))} %)`;
}

/** What a task is and how far it came: the statuses of the protocol say less. */
export function statusMessage({ record, status, interrupted }: TaskView): string {
  const sentence = `${interrupted ? "interrupted" : status}: ${progressText(record)}`;
  return record.message === undefined ? sentence : `${sentence}, ${record.message}`;
}

/** How long a task is kept, in milliseconds from its creation; `null`: an unfinished task is never deleted. */
export function keptMs({
  createdAt,
  finishedAt,
  ttlMs,
}: Pick<TaskRecord, "createdAt" | "finishedAt" | "ttlMs">): number | null {
  if (finishedAt === undefined) return null;
  return Math.max(1, Math.floor(Date.parse(finishedAt) - Date.parse(createdAt) + ttlMs));
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
