import { isFinal, isResumableError, type TaskView } from "@resumable-mcp/core";
import type { ControlToolName } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { followCall } from "../call/follow-call.js";
import { resultOf } from "../call/run-tool-call.js";
import { dataResult, errorResult, finishedResult, type ToolResult, taskObject } from "../call/tool-result.js";
import { limits } from "../limits.js";
import { type ControlTool, controlTool } from "./control-tool.js";
import { checkpointStats, listSessionTasks, sessionInfo } from "./owner-tools.js";

const getTask = controlTool("get_task", async (call, input) => {
  const view = await call.tasks.get(input.task_id);
  if (!input.include?.includes("result") || !isFinal(view.status)) return viewResult(call, view);
  const { _meta, ...result } = finishedResult(call.engine, view, true);
  return dataResult({ ...taskObject(call.engine, view), result: { ...result } });
});

/** Another server may have brought the task to its end since it was looked at. */
function unlessOver(error: unknown): void {
  if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
}

/** No server runs the task: one has to take it up. */
function needsServer({ interrupted, status }: TaskView): boolean {
  return interrupted || status === "pending";
}

function hasTool({ engine }: Call, { record }: TaskView): boolean {
  return engine.tools.some(({ name }) => name === record.tool);
}

function missingTool(call: Call, { record }: TaskView): ToolResult {
  const cancel = `${call.prefix}cancel_task`;
  return errorResult(
    "UNKNOWN_TOOL",
    `Task ${record.id} needs the tool "${record.tool}", which this server does not have, and no other server has taken it up. Start a server that has the tool, or end the task with ${cancel}.`,
  );
}

const waitForTask = controlTool("wait_for_task", async (call, input) => {
  const view = await call.tasks.get(input.task_id);
  // A caller that waits has returned to the task: it continues, unless it was paused.
  if (needsServer(view)) await call.tasks.resume(input.task_id).catch(unlessOver);
  const isForeign = needsServer(view) && !hasTool(call, view);
  const seconds = isForeign ? Math.min(input.timeout_seconds, limits.foreignToolSeconds) : input.timeout_seconds;
  const ending = await followCall(call, view, seconds * 1000);
  if (isForeign && ending.reason === "timeout" && needsServer(ending.view)) return missingTool(call, ending.view);
  return resultOf(call, ending, isFinal(view.status));
});

const pauseTask = controlTool("pause_task", async (call, input) => {
  const view = await call.tasks.pause(input.task_id);
  const message = `Task ${input.task_id} paused correctly`;
  return dataResult({ ...taskObject(call.engine, view), message }, message);
});

const resumeTask = controlTool("resume_task", async (call, input) =>
  viewResult(call, await call.tasks.resume(input.task_id)),
);

const cancelTask = controlTool("cancel_task", async (call, input) =>
  viewResult(call, await call.tasks.cancel(input.task_id)),
);

const answerTask = controlTool("answer_task", async (call, input) => {
  const view = await call.tasks.get(input.task_id);
  const question = view.questions.find(({ key }) => key === input.key)?.question;
  if (question?.userOnly === true) {
    return errorResult(
      "USER_ONLY",
      `Only the user may answer question ${input.key} of task ${input.task_id}, in a client that shows it to them.`,
    );
  }
  const { action, content = {} } = input;
  const answer = action === "accept" ? ({ action, content } as const) : ({ action } as const);
  return viewResult(call, await call.tasks.answer(input.task_id, input.key, answer));
});

const deleteTask = controlTool("delete_task", async (call, input) => {
  await call.tasks.delete(input.task_id);
  return dataResult({ deleted: input.task_id });
});

const getTaskItems = controlTool("get_task_items", async (call, input) => {
  const { items, next, total } = await call.tasks.items(input.task_id, input);
  return dataResult({ task_id: input.task_id, items, next, total });
});

/** All control tools. */
export const controlTools: readonly ControlTool[] = [
  getTask,
  waitForTask,
  pauseTask,
  resumeTask,
  cancelTask,
  answerTask,
  deleteTask,
  getTaskItems,
  listSessionTasks,
  checkpointStats,
  sessionInfo,
];

/** What any other server offers unless its options say otherwise: without these a long call cannot be finished. */
export const defaultControlTools: readonly ControlToolName[] = [
  "wait_for_task",
  "get_task",
  "cancel_task",
  "answer_task",
];

/** The control tools that a server offers. */
export function chosenControlTools(chosen: readonly ControlToolName[] | "all" | undefined): readonly ControlTool[] {
  if (chosen === "all") return controlTools;
  const names = chosen ?? defaultControlTools;
  return controlTools.filter(({ name }) => names.includes(name));
}

function viewResult({ engine }: Call, view: TaskView) {
  return dataResult(taskObject(engine, view));
}
