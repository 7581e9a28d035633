import type { CreateTaskResultV2, DetailedTaskV2, TaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { isFinal, type JsonObject, type TaskView } from "@resumable-mcp/core";
import type { OpenQuestion } from "@resumable-mcp/core/engine";
import { readRpcCode } from "@resumable-mcp/core/internal";
import { rpcCodes } from "@resumable-mcp/protocol";
import { type Answerer, finishedResult, keptMs, mirroredError, statusMessage } from "../../call/tool-result.js";
import { limits } from "../../limits.js";

/** What a call is answered with when it became a task. Source: SEP-2663, "CreateTaskResult". */
export function createTaskResult(view: TaskView): CreateTaskResultV2 {
  return { resultType: "task", ...taskBase(view), status: wireStatus(view) };
}

/**
 * A task with all that its status entails: open questions, result or error. Source: SEP-2663, "DetailedTask".
 *
 * A tool that failed has `completed` with an error as its result; only a JSON-RPC error that the tool threw makes the
 * task `failed`.
 *
 * @param passed what another server asks the client for. Source: SEP-2663, "inputRequests".
 */
export function detailedTask(answerer: Answerer, view: TaskView, passed: JsonObject = {}): DetailedTaskV2 {
  const base = taskBase(view);
  const isAsked = Object.keys(passed).length > 0 && !isFinal(view.status);
  const status = isAsked ? "input_required" : wireStatus(view);
  const { error } = view.record;
  switch (status) {
    case "input_required":
      // What is passed on is for the client to read.
      return { ...base, status, inputRequests: { ...inputRequests(view.questions), ...passed } as InputRequests };
    case "completed": {
      const refusal = mirroredError(answerer, view.record);
      if (refusal !== undefined) {
        return { ...base, status: "failed", error: refusal.body as FailedError };
      }
      return {
        ...base,
        status,
        result: { resultType: "complete", ...finishedResult(answerer, view, false) } as JsonObject,
      };
    }
    case "failed":
      return {
        ...base,
        status,
        error: {
          code: (error && readRpcCode(error)) ?? rpcCodes.internalError,
          message: error?.message ?? "The task failed.",
        },
      };
    case "working":
    case "cancelled":
      return { ...base, status };
  }
}

/** Open questions as elicitation requests. Source: MCP 2026-07-28, Elicitation; SEP-2322. */
export function inputRequests(questions: readonly OpenQuestion[]): Record<string, ElicitRequest> {
  const entries = questions.map(({ key, question }) => {
    const params = { mode: "form", message: question.message, requestedSchema: question.schema } as const;
    return [key, { method: "elicitation/create", params }] as const;
  });
  return Object.fromEntries(entries);
}

type FailedError = Extract<DetailedTaskV2, { readonly status: "failed" }>["error"];
type InputRequests = Extract<DetailedTaskV2, { readonly status: "input_required" }>["inputRequests"];

type ElicitRequest = {
  method: "elicitation/create";
  params: { mode: "form"; message: string; requestedSchema: JsonObject };
};

function taskBase(view: TaskView): Omit<TaskV2, "status"> {
  const { record } = view;
  return {
    taskId: record.id,
    statusMessage: statusMessage(view),
    createdAt: record.createdAt,
    lastUpdatedAt: record.updatedAt,
    ttlMs: keptMs(record),
    pollIntervalMs: limits.pollIntervalMs,
  };
}

function wireStatus({ status, record }: TaskView): TaskV2["status"] {
  switch (status) {
    case "pending":
    case "running":
    case "paused":
      return "working";
    case "failed":
      return record.error !== undefined && readRpcCode(record.error) !== undefined ? "failed" : "completed";
    case "input_required":
    case "completed":
    case "cancelled":
      return status;
  }
}
