import { type Engine, isFinal, type Json, type JsonObject, type StartedTask, type Tool } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { isAnswerLost, untilAskedAgain } from "../call/follow-call.js";
import type { RpcErrorBody } from "../call/rpc-error.js";
import { beginTask, followTask, joinTask, resultOf } from "../call/run-tool-call.js";
import type { ToolResult } from "../call/tool-result.js";
import { limits } from "../limits.js";
import { wrapAnswer } from "../sdk-workarounds.js";
import { type Call2026, type CallPolicy2026, call2026 } from "./call-2026.js";
import { missingTasksExtension } from "./envelope.js";
import { noteAnswer } from "./open-answers.js";
import { type RoundTrip, type RoundTripBinding, readRoundTrip, signRoundTrip } from "./request-state.js";
import type { Context2026 } from "./server-2026.js";
import type { SigningKey } from "./signing-key.js";
import { answerQuestions } from "./tasks/task-methods.js";
import { createTaskResult, inputRequests } from "./tasks/task-on-wire.js";

/** What calls of one server have in common. */
export interface CallEnvironment {
  readonly engine: Engine;
  readonly policy: CallPolicy2026;
  readonly signingKey: SigningKey;
}

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
 * - The client declared the tasks extension: with a task, as soon as it is durable.
 * - It did not: with progress on its stream and the result at the end; questions and the draining of the server are
 *   answered with a signed state, with which the client's next request continues where this one ended.
 */
export function callTool(
  environment: CallEnvironment,
  tool: Tool,
  input: Json,
  context: Context2026,
  clientIdArgument: string | undefined,
): Promise<ToolResult | InputRequiredResult> {
  return noteAnswer(environment.engine, answerCall(environment, tool, input, context, clientIdArgument));
}

async function answerCall(
  environment: CallEnvironment,
  tool: Tool,
  input: Json,
  context: Context2026,
  clientIdArgument: string | undefined,
): Promise<ToolResult | InputRequiredResult> {
  const { engine, policy, signingKey } = environment;
  const call = call2026(engine, policy, context, clientIdArgument);
  const { taskSupport = "optional" } = tool;
  if (taskSupport === "required" && !call.client.tasks) return wrapAnswer({ error: missingTasksExtension });
  const binding = { owner: call.tasks.owner, tool: tool.name, input };
  const state = context.mcpReq.requestState();
  const roundTrip = state === undefined ? undefined : await verifiedRoundTrip(signingKey, state, binding);
  if (state !== undefined && roundTrip === undefined) return wrapAnswer({ error: invalidState });
  if (call.client.tasks && taskSupport !== "forbidden") return answerWithTask(call, tool, input, roundTrip);
  return answerInline({ call, tool, input, context, signingKey, binding, roundTrip });
}

async function verifiedRoundTrip(
  key: SigningKey,
  state: unknown,
  binding: RoundTripBinding,
): Promise<RoundTrip | undefined> {
  return typeof state === "string" ? readRoundTrip(await key(), state, binding, Date.now()) : undefined;
}

async function answerWithTask(
  call: Call2026,
  tool: Tool,
  input: Json,
  roundTrip: RoundTrip | undefined,
): Promise<ToolResult> {
  const begun = roundTrip === undefined ? await beginTask(call, tool, input, true) : await returnTo(call, roundTrip);
  // The task is the server's now: no caller has to wait for it.
  if (!begun.created) await call.tasks.detach(begun.record.id);
  return wrapAnswer({ result: createTaskResult(begun) });
}

interface InlineCall {
  readonly call: Call2026;
  readonly tool: Tool;
  readonly input: Json;
  readonly context: Context2026;
  readonly signingKey: SigningKey;
  readonly binding: RoundTripBinding;
  readonly roundTrip: RoundTrip | undefined;
}

async function answerInline(inline: InlineCall): Promise<ToolResult | InputRequiredResult> {
  const { tool, input, context, roundTrip } = inline;
  const { engine, client } = inline.call;
  if (roundTrip !== undefined && engine.draining) await held(context.mcpReq.signal);
  const call = roundTrip === undefined ? inline.call : afterRoundTrip(inline.call, roundTrip);
  const handoffMs = call.handoffAfterMs(tool.handoffAfterMs);
  const begun =
    roundTrip === undefined
      ? await beginTask(call, tool, input, handoffMs === 0 && !call.meta.callerStays)
      : await returnTo(call, roundTrip);
  const taskId = begun.record.id;
  const { inputResponses } = context.mcpReq;
  if (inputResponses !== undefined) await takeAnswers(call, taskId, inputResponses);
  const ending = await followTask(await joinTask(call, begun), begun, handoffMs);
  if (ending.reason === "input_required" && client.forms) return askForInput(inline, taskId);
  if (ending.reason === "left" && engine.draining) {
    return { resultType: "input_required", requestState: await signed(inline, taskId, ending.view.record.lastSeq) };
  }
  return resultOf(call, ending, begun.reused);
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

/** Messages that an earlier round trip sent are not sent again. */
function afterRoundTrip(call: Call2026, { seq }: RoundTrip): Call2026 {
  return { ...call, meta: { ...call.meta, afterSeq: Math.max(call.meta.afterSeq, seq) } };
}

/** A round trip belongs to its task, even if that has finished or was paused meanwhile; an orphan continues. */
async function returnTo({ tasks }: Call2026, { taskId }: RoundTrip): Promise<StartedTask> {
  const view = await tasks.get(taskId);
  const rests = isFinal(view.status) || !(view.interrupted || view.status === "pending");
  return { ...(rests ? view : await tasks.resume(taskId)), created: false, reused: false };
}

async function askForInput(inline: InlineCall, taskId: string): Promise<InputRequiredResult> {
  await new Promise((resolve) => setTimeout(resolve, limits.gatherQuestionsMs));
  const { record, questions } = await inline.call.tasks.get(taskId);
  const requests = inputRequests(questions);
  const requestState = await signed(inline, taskId, record.lastSeq);
  // Answered meanwhile by another caller: the next round trip continues.
  if (Object.keys(requests).length === 0) return { resultType: "input_required", requestState };
  return { resultType: "input_required", inputRequests: requests, requestState };
}

async function signed({ signingKey, binding }: InlineCall, taskId: string, seq: number): Promise<string> {
  return signRoundTrip(await signingKey(), { taskId, seq }, binding, Date.now());
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
