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

/** The part of a call that says who answers it, and how its control tools are called. */
export interface Answerer {
  readonly engine: Engine;
  /** Put before the names of the control tools; `undefined` where the server has none. */
  readonly prefix?: string | undefined;
}

/** A result of data, with the same as JSON text. */
export function dataResult(data: JsonObject, sentence?: string): ToolResult {
  return { content: [text(sentence ?? JSON.stringify(data))], structuredContent: data };
}

/** A failure as a result: tools report errors in results, so that models can read them. */
export function errorResult(code: string, message: string): ToolResult {
  return { content: [text(message)], structuredContent: { error: { code, message } }, isError: true };
}

/**
 * Makes a result of whatever was thrown; nothing of an unexpected error's inside reaches the caller.
 *
 * @param prefix of the server's control tools, of which the result may name one.
 */
export function thrownResult(error: unknown, prefix?: string): ToolResult {
  const listed = prefix === undefined ? "" : ` ${prefix}list_session_tasks lists your tasks.`;
  if (isResumableError(error, "TASK_NOT_FOUND")) return errorResult(error.code, error.message + listed);
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
export function finishedResult(answerer: Answerer, view: TaskView, reused: boolean): ToolResult {
  const { record } = view;
  const _meta: JsonObject = { ...taskMeta(view), ...(reused ? { [metaKeys.reused]: true } : {}) };
  if (record.status === "completed") return { ...outputResult(answerer.engine, record), _meta };
  if (record.status === "cancelled") {
    return { ...errorResult("CANCELLED", `Task ${record.id} (${record.tool}) was cancelled.`), _meta };
  }
  return { ...failedResult(answerer, record), _meta };
}

/** A result that an equal call had come to before may be out of date: a model has to know, and a program reads the rest alone. */
export function withAge(result: ToolResult, { status, finishedAt }: TaskRecord, reused: boolean): ToolResult {
  if (!reused || status !== "completed") return result;
  const sentence = text(`The same call came to this result before, at ${finishedAt}.`);
  return { ...result, content: [...result.content, { ...sentence, annotations: { audience: ["assistant"] } }] };
}

/** Says why a task failed, how far it came, and how to continue. */
function failedResult(answerer: Answerer, record: TaskRecord): ToolResult {
  const failure = failureOf(answerer, record);
  const { progress, total } = record;
  const error = definedOnly({ ...failure, task_id: record.id, progress, total });
  return {
    content: [text(`${asSentence(failure.message)} ${failure.continuation}`)],
    structuredContent: { error },
    isError: true,
  };
}

/** A tool's message may end without a full stop, and another sentence follows. */
const asSentence = (message: string) => (/[.!?…:]$/.test(message) ? message : `${message}.`);

/** Why a task failed, and how it continues: the same wherever the failure is shown. */
type FailureReport = Required<TaskError>;

/** Says why a task failed and how it continues. */
function failureOf(answerer: Answerer, record: TaskRecord): FailureReport {
  const { code, message } = record.error ?? { code: "TOOL_FAILED", message: `Task ${record.id} failed.` };
  const continues = continuesBy(answerer, record);
  return { code, message, continuation: continuationOf(record, continues, answerer.prefix), continues };
}

/** Decides it as `start` of the engine does. */
function continuesBy({ engine, prefix }: Answerer, record: TaskRecord): FailureReport["continues"] {
  if (!isContinuable(record)) return "never";
  const tool = engine.tools.find(({ name }) => name === record.tool);
  if (record.key !== null && tool?.onFailure !== "restart") return "by_call";
  return prefix === undefined ? "never" : "by_resume";
}

const fromStart = "the same call starts from the beginning.";
const continuations: Readonly<Record<FailureReport["continues"], (prefix: string) => string>> = {
  by_call: () => "the same call continues the task from its last checkpoint.",
  by_resume: (prefix) => `${prefix}resume_task continues the task from its last checkpoint, and ${fromStart}`,
  never: () => fromStart,
};

function continuationOf(record: TaskRecord, continues: FailureReport["continues"], prefix = ""): string {
  const sentence = continuations[continues](prefix);
  if (record.progress > 0) return `The task reached ${progressText(record)}; ${sentence}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function outputResult(engine: Engine, { tool, output = null }: TaskRecord): ToolResult {
  const known = engine.tools.find(({ name }) => name === tool);
  const content = known === undefined ? [text(JSON.stringify(output))] : known.content(output);
  return isJsonObject(output) ? { content, structuredContent: output } : { content };
}

const nextTools = { running: "wait_for_task", paused: "resume_task", input_required: "answer_task" } as const;
type InterimStatus = keyof typeof nextTools;

/** Says that a task is not finished, and which tool is to be called next: a control tool, else the task's own again. */
export function interimResult(view: TaskView, status: InterimStatus, prefix: string | undefined): ToolResult {
  const next = prefix === undefined ? view.record.tool : `${prefix}${nextTools[status]}`;
  const sentences = prefix === undefined ? sentencesOfCall(view) : sentencesOf(view, next);
  const data = encodeInterim(view, status, next, status === "input_required" ? view.questions : undefined);
  return { ...dataResult(data, sentences[status]), _meta: { ...taskMeta(view), [metaKeys.status]: status } };
}

type Sentences = Readonly<Record<InterimStatus, string>>;

function sentencesOf(view: TaskView, next: string): Sentences {
  const { id, tool, refused, message } = view.record;
  const at = progressText(view.record);
  const again = `Call ${next} with ${JSON.stringify({ task_id: id })}`;
  return {
    running:
      refused === undefined
        ? `Still running: ${at}. Do not call ${tool} again. ${again} now, and again until the task's status is completed. The user may also come back later.`
        : `Not running: ${at}. ${message} Tell the user, and do not call ${tool} again. ${again} later: the task continues when such code is there.`,
    paused: `Task ${id} (${tool}) is paused at ${at}. Nothing is lost: ${next} or the same call continues it.`,
    input_required: `Task ${id} (${tool}) waits for an answer: ${askedText(view)}. Ask the user; never answer for them. Then call ${next} with the task_id, the key and the answer.`,
  };
}

/** Where there are no control tools, the same call returns to its task. */
function sentencesOfCall(view: TaskView): Sentences {
  const { id, tool, refused, message } = view.record;
  const at = progressText(view.record);
  const again = `Call ${tool} again with the same arguments`;
  return {
    running:
      refused === undefined
        ? `Still running: ${at}. ${again} now, and again until it returns its result: each such call joins this task. The user may also come back later.`
        : `Not running: ${at}. ${message} Tell the user. ${again} later: the task continues when such code is there.`,
    paused: `Task ${id} (${tool}) is paused at ${at}. Nothing is lost: the same call continues it.`,
    input_required: `Task ${id} (${tool}) waits for an answer: ${askedText(view)}. Tell the user: only a client that shows them the question can answer it. ${again} later.`,
  };
}

function askedText({ questions }: TaskView): string {
  return questions.map(({ key, question }) => `"${question.message}" (key ${key})`).join(", ");
}

/** What `_meta` of a result says of its task. */
function taskMeta({ record, status }: TaskView): JsonObject {
  return { [metaKeys.taskId]: record.id, [metaKeys.seq]: record.lastSeq, [metaKeys.status]: status };
}

/** A task as control tools show it. */
export function taskObject(answerer: Answerer, view: TaskView): JsonObject {
  return encodeTask(view, errorOf(answerer, view));
}

/** The same for lists. */
export function listedTask(answerer: Answerer, view: TaskView): JsonObject {
  return encodeListedTask(view, errorOf(answerer, view));
}

function errorOf(answerer: Answerer, { record }: TaskView): TaskError | undefined {
  return record.error === undefined ? undefined : failureOf(answerer, record);
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
  return withLabel(record.message === undefined ? sentence : `${sentence}, ${record.message}`, record);
}

/** A text about a task, and in parentheses what the task is called. */
export function withLabel(text: string, { label }: { readonly label?: string | undefined }): string {
  return label === undefined ? text : `${text} (${label})`;
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
