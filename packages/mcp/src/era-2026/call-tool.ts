import { isFinal, type Json, type JsonObject, type Tool } from "@resumable-mcp/core";
import type { StartedTask } from "@resumable-mcp/core/engine";
import { rpcCodes } from "@resumable-mcp/protocol";
import { type CallEnding, isAnswerLost, untilAskedAgain } from "../call/follow-call.js";
import { RpcError, type RpcErrorBody } from "../call/rpc-error.js";
import { followTask, handoffMsFor, knownTask, startTask, toResult } from "../call/run-tool-call.js";
import { type ToolResult, withAge } from "../call/tool-result.js";
import { limits } from "../limits.js";
import { type Call2026, type Environment2026, missingTasksExtension, type Request2026 } from "./call-2026.js";
import { noteAnswer, type SigningKey } from "./engine-state.js";
import { type RoundTrip, type RoundTripBinding, readRoundTrip, signRoundTrip } from "./request-state.js";
import { type ReturningClient, returningClient } from "./returning-client.js";
import { answerQuestions } from "./tasks/task-methods.js";
import { createTaskResult, inputRequests } from "./tasks/task-on-wire.js";

/** A result that asks the client for input, or to come back. Source: MCP 2026-07-28, Multi Round-Trip Requests. */
export interface InputRequiredResult {
  readonly resultType: "input_required";
  readonly inputRequests?: JsonObject;
  readonly requestState: string;
}

const invalidState: RpcErrorBody = {
  code: rpcCodes.invalidParams,
  message: "Invalid or expired requestState. Send the call again without it.",
  data: { reason: "invalid_request_state" },
};

/**
 * Answers the call of a resumable tool in the 2026 era.
 *
 * - The client declared the tasks extension, and can read the task later: with a task, as soon as it is durable.
 * - Else: with progress on its stream and the result at the end; questions, the draining of the server and the end
 *   of the token are answered with a signed state, with which the client's next request continues where this one ended.
 */
export function callTool(
  environment: Environment2026,
  call: Call2026,
  tool: Tool,
  input: Json,
  request: Request2026,
): Promise<object> {
  return noteAnswer(environment.engine, answerCall(environment, call, tool, input, request));
}

async function answerCall(
  { signingKey, engine }: Environment2026,
  call: Call2026,
  tool: Tool,
  input: Json,
  request: Request2026,
): Promise<object> {
  const { taskSupport = "optional" } = tool;
  // Before anything stores or copies it.
  engine.checkInput(input);
  if (taskSupport === "required" && !call.client.tasks) throw RpcError.of(missingTasksExtension);
  const binding = { owner: call.tasks.owner, tool: tool.name, input };
  const { requestState: state } = request;
  const roundTrip = state === undefined ? undefined : await verifiedRoundTrip(signingKey, state, binding);
  if (state !== undefined && roundTrip === undefined) throw RpcError.of(invalidState);
  if (call.client.tasks && call.returns && taskSupport !== "forbidden")
    return answerWithTask(call, tool, input, roundTrip);
  const sign = async (taskId: string, seq: number) =>
    signRoundTrip(await signingKey(), { taskId, seq }, binding, Date.now());
  return answerInline(call, tool, input, request, roundTrip, sign);
}

async function verifiedRoundTrip(
  key: SigningKey,
  state: unknown,
  binding: RoundTripBinding,
): Promise<RoundTrip | undefined> {
  return typeof state === "string" ? readRoundTrip(await key(), state, binding, Date.now()) : undefined;
}

/** Starts the task of a call, or returns to it: a round trip belongs to its task. */
async function begin(
  call: Call2026,
  tool: Tool,
  input: Json,
  roundTrip: RoundTrip | undefined,
  detached: boolean,
): Promise<StartedTask> {
  if (roundTrip !== undefined) return returnTo(call, roundTrip);
  return (await knownTask(call)) ?? startTask(call, tool, input, detached);
}

async function answerWithTask(
  call: Call2026,
  tool: Tool,
  input: Json,
  roundTrip: RoundTrip | undefined,
): Promise<object> {
  const begun = await begin(call, tool, input, roundTrip, true);
  // The task is the server's now: no caller has to wait for it.
  if (!begun.created) await call.tasks.detach(begun.record.id);
  returningClient(call, begun.record.id)?.arrive()();
  return createTaskResult(begun);
}

/** Signs up to which event of a task its caller has received messages. */
type Sign = (taskId: string, seq: number) => Promise<string>;

async function answerInline(
  given: Call2026,
  tool: Tool,
  input: Json,
  { inputResponses, ending: ofRequest }: Request2026,
  roundTrip: RoundTrip | undefined,
  sign: Sign,
): Promise<ToolResult | InputRequiredResult> {
  const { engine, client, meta } = given;
  if (roundTrip !== undefined && engine.draining) await held(ofRequest.signal);
  // Messages that an earlier round trip sent are not sent again.
  const call = { ...given, meta: { ...meta, afterSeq: Math.max(meta.afterSeq, roundTrip?.seq ?? 0) } };
  const handoffMs = handoffMsFor(call, tool);
  const begun = await begin(call, tool, input, roundTrip, handoffMs === 0 && !meta.callerStays);
  const taskId = begun.record.id;
  const returning = returningClient(call, taskId);
  const leave = returning?.arrive();
  if (inputResponses !== undefined) {
    returning?.answer(inputResponses);
    await takeAnswers(call, taskId, inputResponses);
  }
  const ending = await followTask({ ...call, asked: returning?.asked }, begun, handoffMs).finally(leave);
  if (ending.reason === "finished") returning?.end();
  if (ending.reason === "input_required" && (client.forms || returning?.asked.aborted === true))
    return askForInput(call, ending, sign, returning);
  // The request is still open: the server drains, or the caller needs another token to continue.
  if (ending.reason === "left" && call.left() === "gone") {
    return { resultType: "input_required", requestState: await sign(taskId, ending.seenSeq) };
  }
  return withAge(toResult(call, ending, begun.reused), ending.view.record, begun.reused);
}

/** What could not be stored is asked again, by the same call: its question is still open. */
async function takeAnswers(
  { tasks, signal }: Call2026,
  taskId: string,
  responses: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await answerQuestions(tasks, taskId, responses);
  } catch (error) {
    if (!isAnswerLost(error)) throw error;
    await untilAskedAgain(signal);
  }
}

/** A round trip belongs to its task, even if that has finished or was paused meanwhile; an orphan continues. */
async function returnTo({ tasks }: Call2026, { taskId }: RoundTrip): Promise<StartedTask> {
  const view = await tasks.get(taskId);
  const rests = isFinal(view.status) || !(view.interrupted || view.status === "pending");
  return { ...(rests ? view : await tasks.resume(taskId)), created: false, reused: false };
}

async function askForInput(
  { tasks, client }: Call2026,
  ending: CallEnding,
  sign: Sign,
  returning: ReturningClient | undefined,
): Promise<InputRequiredResult> {
  const { id: taskId } = ending.view.record;
  await new Promise((resolve) => setTimeout(resolve, limits.gatherQuestionsMs));
  const questions = client.forms ? (await tasks.get(taskId)).questions : [];
  const requests = { ...inputRequests(questions), ...returning?.inputRequests };
  const requestState = await sign(taskId, ending.seenSeq);
  // Answered meanwhile by another caller: the next round trip continues.
  if (Object.keys(requests).length === 0) return { resultType: "input_required", requestState };
  return { resultType: "input_required", inputRequests: requests, requestState };
}

function held(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limits.drainHoldMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
