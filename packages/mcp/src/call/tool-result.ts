import {
  type ContentBlock,
  type Engine,
  type ErrorCode,
  isJsonObject,
  isResumableError,
  type Json,
  type JsonObject,
  type TaskRecord,
  type TaskView,
} from "@resumable-mcp/core";
import { isContinuable, type TaskSummary } from "@resumable-mcp/core/store";
import {
  definedOnly,
  encodeInterim,
  encodeListedTask,
  encodeTask,
  metaKeys,
  type TaskError,
  type TaskRemarks,
  taskArtifacts,
} from "@resumable-mcp/protocol";
import { findUpstream } from "../define-server.js";
import { limits } from "../limits.js";
import { forSdk } from "../sdk-workarounds.js";
import { type InterimStatus, interimStep, type NextStep, nextStep, progressText } from "./next-step.js";
import { type RpcError, readableError } from "./rpc-error.js";

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
  /** Tasks say whose they are. */
  readonly allOwners?: true;
}

/** A result of data, with the same as JSON text. */
export function dataResult(data: JsonObject, sentence?: string): ToolResult {
  return { content: [text(sentence ?? JSON.stringify(data))], structuredContent: data };
}

/**
 * A failure as a result: tools report errors in results, so that models can read them.
 *
 * @param next_tool the control tool that helps, which the message names too.
 */
export function errorResult(code: ErrorCode, message: string, next_tool?: string): ToolResult {
  const structuredContent = definedOnly({ error: { code, message }, next_tool });
  return { content: [text(message)], structuredContent, isError: true };
}

/** What helps a model after an error of a control tool, where there is something. */
const afterErrors: { readonly [Code in ErrorCode]?: readonly [tool: string, does: string] } = {
  TASK_NOT_FOUND: ["list_session_tasks", "lists your tasks"],
  ILLEGAL_TRANSITION: ["wait_for_task", "shows what the task came to, or needs"],
  UNKNOWN_QUESTION: ["wait_for_task", "shows what the task came to, or needs"],
  ALREADY_ANSWERED: ["wait_for_task", "shows what the task came to, or needs"],
};

/**
 * Makes a result of whatever was thrown; nothing of an unexpected error's inside reaches the caller.
 *
 * @param prefix of the server's control tools, of which the result may name one.
 */
export function thrownResult(error: unknown, prefix?: string): ToolResult {
  if (!isResumableError(error)) {
    return errorResult("INTERNAL", "The server failed to carry out the call. Its log says more.");
  }
  const [tool, does] = afterErrors[error.code] ?? [];
  if (prefix === undefined || tool === undefined) return errorResult(error.code, error.message);
  return errorResult(error.code, `${error.message} ${prefix}${tool} ${does}.`, `${prefix}${tool}`);
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
  if (record.status === "completed") {
    const result = withArtifacts(outputResult(answerer.engine, record), record);
    return { ...result, _meta: { ...result._meta, ..._meta } };
  }
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
    structuredContent: { error, ...stepOfFailed(answerer, record) },
    isError: true,
  };
}

/** A tool's message may end without a full stop, and another sentence follows. */
const asSentence = (message: string) => (/[.!?…:]$/.test(message) ? message : `${message}.`);

/** Why a task failed, and how it continues: the same wherever the failure is shown. */
type FailureReport = Required<TaskError>;

/** Where the same call does not continue a failed task; the failure itself says how else. */
function stepOfFailed(answerer: Answerer, record: TaskRecord): Partial<NextStep> {
  const isResumed = record.status === "failed" && continuesBy(answerer, record) === "by_resume";
  return isResumed ? { next_tool: `${answerer.prefix}resume_task` } : {};
}

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
const continuations: Readonly<Record<FailureReport["continues"], (prefix: string, task_id: string) => string>> = {
  by_call: () => "the same call continues the task from its last checkpoint.",
  by_resume: (prefix, task_id) =>
    `call ${prefix}resume_task with ${JSON.stringify({ task_id })} to continue the task from its last checkpoint; ${fromStart}`,
  never: () => fromStart,
};

function continuationOf(record: TaskRecord, continues: FailureReport["continues"], prefix = ""): string {
  const sentence = continuations[continues](prefix, record.id);
  if (record.progress > 0) return `The task reached ${progressText(record)}; ${sentence}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function outputResult(engine: Engine, { tool, output = null }: TaskRecord): ToolResult {
  if (isMirrored(engine, tool)) return mirroredResult(output);
  const known = engine.tools.find(({ name }) => name === tool);
  const content = known === undefined ? [text(JSON.stringify(output))] : known.content(output);
  return isJsonObject(output) ? { content, structuredContent: output } : { content };
}

/** Links to the files of a task, behind what its tool returned. */
function withArtifacts(result: ToolResult, record: TaskRecord): ToolResult {
  const links = taskArtifacts(record).map(({ name, mimeType, bytes, uri }) => ({
    ...{ type: "resource_link", uri, name, mimeType },
    size: bytes,
  }));
  return links.length === 0 ? result : { ...result, content: [...result.content, ...links] };
}

/** Whether the output of a tool's tasks is what another server answered, which may not list the tool any longer. */
export function isMirrored(engine: Engine, tool: string): boolean {
  const known = engine.tools.find(({ name }) => name === tool);
  return known === undefined ? findUpstream(engine) !== undefined : known.mirrors !== undefined;
}

/** What another server answered, as it is. @throws {@link RpcError} where that was an error. */
function mirroredResult(output: Json): ToolResult {
  const { result, error }: JsonObject = isJsonObject(output) ? output : {};
  if (error !== undefined) throw readableError(error);
  return forSdk(result);
}

/** The error that another server answered in place of a result. */
export function mirroredError({ engine }: Pick<Answerer, "engine">, record: TaskRecord): RpcError | undefined {
  const { error }: JsonObject = isMirrored(engine, record.tool) ? Object(record.output) : {};
  return error === undefined ? undefined : readableError(error);
}

/** Why another server's answer to the call of a task is an error, in its own words; `undefined` where it is none. */
export function mirroredFailure(answerer: Pick<Answerer, "engine">, record: TaskRecord): string | undefined {
  const refusal = mirroredError(answerer, record);
  if (refusal !== undefined) return refusal.message;
  const output = isMirrored(answerer.engine, record.tool) ? record.output : undefined;
  const { isError, content }: JsonObject = Object(Object(output).result);
  if (isError !== true) return undefined;
  const [first] = Array.isArray(content) ? content : [];
  const { text: said }: JsonObject = Object(first);
  return typeof said === "string" ? said.slice(0, limits.maxStatusMessageLength) : "its server answered with an error";
}

/** Says that a task is not finished, and what to do next. */
export function interimResult(view: TaskView, status: InterimStatus, prefix: string | undefined): ToolResult {
  const { next_tool, advice } = interimStep(view, status, prefix);
  const data = encodeInterim(view, status, next_tool, status === "input_required" ? view.questions : undefined);
  return { ...dataResult({ ...data, advice }, advice), _meta: { ...taskMeta(view), [metaKeys.status]: status } };
}

/** What `_meta` of a result says of its task. */
function taskMeta({ record, status }: TaskView): JsonObject {
  return { [metaKeys.taskId]: record.id, [metaKeys.seq]: record.lastSeq, [metaKeys.status]: status };
}

/** A task as control tools show it. */
export function taskObject(answerer: Answerer, view: TaskView): JsonObject {
  return { ...encodeTask(view, remarksOn(answerer, view)), ...ownerOf(answerer, view) };
}

/** The same with what to do next. */
export function guidedTask(answerer: Answerer, view: TaskView): JsonObject {
  return { ...taskObject(answerer, view), ...stepOf(answerer, view) };
}

/** The same for lists, where a tool stands at what is open. */
export function listedTask(answerer: Answerer, view: TaskView): JsonObject {
  const { next_tool } = view.status === "completed" ? {} : stepOf(answerer, view);
  return definedOnly({ ...encodeListedTask(view, remarksOn(answerer, view)), ...ownerOf(answerer, view), next_tool });
}

function ownerOf({ allOwners }: Answerer, { record: { owner } }: TaskView): { readonly owner?: string } {
  return allOwners === true ? { owner } : {};
}

function stepOf(answerer: Answerer, view: TaskView): Partial<NextStep> {
  return nextStep(view, answerer.prefix) ?? stepOfFailed(answerer, view.record);
}

function remarksOn(answerer: Answerer, { record }: TaskView): TaskRemarks {
  const title = answerer.engine.tools.find(({ name }) => name === record.tool)?.title;
  return { title, error: record.error && failureOf(answerer, record) };
}

/** What a task is and how far it came: the statuses of the protocol say less. */
export function statusMessage({ record, status, interrupted }: TaskView): string {
  const far = [progressText(record), record.message].filter((part) => part !== undefined).join(", ");
  const said = toText({ ...record, status, message: far });
  return withLabel(
    [interrupted ? "interrupted" : status, said].filter((part) => part !== undefined).join(": "),
    record,
  );
}

/** What a task says of itself: the last of its checkpoints may be before its end, and its error says more. */
export function toText({
  status,
  message,
  error,
}: Pick<TaskSummary, "status" | "message" | "error">): string | undefined {
  return status === "completed" ? undefined : (error?.message ?? message);
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
