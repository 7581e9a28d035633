import { isFinal, isResumableError, type JsonObject, type TaskView } from "@resumable-mcp/core";
import { finalStatuses, type TaskSummary, unfinishedStatuses } from "@resumable-mcp/core/store";
import {
  type ControlToolFacts,
  type ControlToolMode,
  type ControlToolName,
  checkInput,
  controlToolFacts,
  type InputOf,
} from "@resumable-mcp/protocol";
import { type Call, findTask } from "../call/call.js";
import { followCall } from "../call/follow-call.js";
import { progressText } from "../call/next-step.js";
import { toResult } from "../call/run-tool-call.js";
import {
  dataResult,
  errorResult,
  finishedResult,
  guidedTask,
  listedTask,
  type ToolResult,
  taskObject,
} from "../call/tool-result.js";
import type { ServerDefinition } from "../define-server.js";
import { limits } from "../limits.js";
import { failedByTool } from "./all-owners.js";
import { joinInstructions } from "./instructions.js";

/** A tool by which callers speak about tasks. */
export interface ControlTool extends Omit<ControlToolFacts, "input"> {
  readonly name: ControlToolName;
  inputSchema(): JsonObject;
  run(call: Call, input: unknown): Promise<ToolResult>;
}

type ControlInput<Name extends ControlToolName> = InputOf<(typeof controlToolFacts)[Name]["input"]>;

/** Defines what a control tool does; its input is checked before `run` sees it. */
function controlTool<Name extends ControlToolName>(
  name: Name,
  run: (call: Call, input: ControlInput<Name>) => Promise<ToolResult>,
): ControlTool {
  const { input, ...facts } = controlToolFacts[name];
  return {
    name,
    ...facts,
    inputSchema: () => input,
    run: async (call, value) => {
      const checked = checkInput<(typeof controlToolFacts)[Name]["input"]>(input, value);
      if ("input" in checked) return run(call, checked.input);
      throw new InvalidArguments(`The arguments do not fit: ${checked.problems.join("; ")}.`);
    },
  };
}

/** The arguments of a tool do not fit: the message names them. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

const getTask = controlTool("get_task", async (call, input) => {
  const view = await call.tasks.get(input.task_id);
  if (!input.include?.includes("result") || !isFinal(view.status)) return viewResult(call, view);
  const { _meta, ...result } = finishedResult(call, view, true);
  return dataResult({ ...taskObject(call, view), result: { ...result } });
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
  const cancel = `${call.prefix ?? ""}cancel_task`;
  return errorResult(
    "UNKNOWN_TOOL",
    `Task ${record.id} needs the tool "${record.tool}", which this server does not have, and no other server runs the task. Start a server that has the tool, or end the task with ${cancel}.`,
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
  return toResult(call, ending, isFinal(view.status));
});

const pauseTask = controlTool("pause_task", async (call, input) => {
  const view = await call.tasks.pause(input.task_id);
  const message = `Task ${input.task_id} paused correctly`;
  return dataResult({ ...guidedTask(call, view), message }, message);
});

const resumeTask = controlTool("resume_task", async (call, input) =>
  viewResult(call, await call.tasks.resume(input.task_id)),
);

const cancelTask = controlTool("cancel_task", async (call, input) =>
  viewResult(call, await call.tasks.cancel(input.task_id)),
);

/** Passes an answer on. @param by.byUser a person gave it, whom a client showed the question. */
export async function answerTask(
  call: Call,
  input: ControlInput<"answer_task">,
  by: { readonly byUser: boolean },
): Promise<ToolResult> {
  const view = await call.tasks.get(input.task_id);
  const question = view.questions.find(({ key }) => key === input.key)?.question;
  if (question?.userOnly === true && !by.byUser) {
    return errorResult(
      "USER_ONLY",
      `Only the user may answer question ${input.key} of task ${input.task_id}, in a client that shows them the question. ${call.prefix}wait_for_task waits for it.`,
      `${call.prefix}wait_for_task`,
    );
  }
  const { action, content = {} } = input;
  const answer = action === "accept" ? ({ action, content } as const) : ({ action } as const);
  const given = await call.tasks.answer(input.task_id, input.key, answer);
  return viewResult(call, await answeredTask(call, given, view.record.lastSeq));
}

/** The task when it took the answer: until then it looks as if it had none. It may take long elsewhere, and while it is paused. */
async function answeredTask({ tasks, signal }: Call, given: TaskView, afterSeq: number): Promise<TaskView> {
  if (given.status === "paused") return given;
  const { id } = given.record;
  const until = AbortSignal.any([signal, AbortSignal.timeout(limits.answerWaitMs)]);
  for await (const followed of tasks.follow(id, { afterSeq, signal: until })) {
    if (followed.kind === "snapshot" || followed.event.type === "answered") break;
  }
  return tasks.get(id);
}

const answerByModel = controlTool("answer_task", (call, input) => answerTask(call, input, { byUser: false }));

const deleteTask = controlTool("delete_task", async (call, input) => {
  await call.tasks.delete(input.task_id);
  return dataResult({ deleted: input.task_id });
});

const getTaskItems = controlTool("get_task_items", async (call, input) => {
  const { items, next, total } = await call.tasks.items(input.task_id, input);
  return dataResult({ task_id: input.task_id, items, next, total });
});

const allStatuses = [...unfinishedStatuses, ...finalStatuses];

const listAdvice =
  "A task with next_tool is open: call that tool with its task_id, and do not call its task_name again.";

/** `list_session_tasks`: the caller's own tasks, newest first. */
const listSessionTasks = controlTool("list_session_tasks", async (call, input) => {
  const [page, counts] = await Promise.all([
    call.tasks.list({ limit: input.limit, statuses: input.status, tool: input.task_name, cursor: input.cursor }),
    call.tasks.count(),
  ]);
  const { views, damaged } = await viewsOf(call.tasks, [...page.tasks, ...(page.damaged ?? [])]);
  const tasks = views.map((view) => listedTask(call, view));
  return dataResult({
    session_id: call.shownSessionId ?? null,
    persistent_id: call.clientId ?? call.shownSessionId ?? null,
    total_tasks: counts.total,
    tasks,
    ...(tasks.some(({ next_tool }) => next_tool !== undefined) && { advice: listAdvice }),
    ...(damaged.length > 0 && { damaged_tasks: damaged }),
    ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
  });
});

/** `get_checkpoint_stats`: how many tasks the caller has, by status. */
const checkpointStats = controlTool("get_checkpoint_stats", async (call) => {
  const counts = await call.tasks.count();
  const checkpoint_stats = Object.fromEntries(allStatuses.map((name) => [name, counts.byStatus[name] ?? 0]));
  return dataResult({
    checkpoint_stats,
    total_checkpoints: counts.total,
    ...(call.allOwners === true && { failed_by_tool: await failedByTool(call.tasks) }),
  });
});

/** `get_session_info`: by which connection and under which name the caller is known. */
const sessionInfo = controlTool("get_session_info", async (call) =>
  dataResult({
    session_id: call.shownSessionId ?? null,
    request_id: call.meta.requestId ?? call.requestId,
    client_id: call.clientId ?? null,
  }),
);

/**
 * Makes the server's `instructions`: how to use long tools, and, where the owner is known at the beginning, which of
 * their tasks are unfinished.
 */
export async function makeInstructions(
  definition: Pick<ServerDefinition, "instructions" | "controlTools" | "prefix">,
  tasks?: Call["tasks"],
): Promise<string> {
  const unfinished = tasks === undefined ? [] : await unfinishedTasks(tasks, limits.maxNamedTasks);
  const named = unfinished.length === 0 ? undefined : `Unfinished tasks of this user:\n${listText(unfinished)}`;
  return joinInstructions(definition, named);
}

/** What the prompt `unfinished_tasks` says. Source: MCP, Prompts. */
export async function unfinishedTasksText(tasks: Call["tasks"], prefix: string | undefined): Promise<string> {
  const unfinished = await unfinishedTasks(tasks, 100);
  if (unfinished.length === 0) return "There are no unfinished tasks.";
  const advice =
    prefix === undefined
      ? "Tell me about them, and ask which of them to resume: the same call continues its task."
      : `Tell me about them, and ask which of them to resume (${prefix}resume_task, then ${prefix}wait_for_task) and which to cancel (${prefix}cancel_task).`;
  return `These tasks are not finished:\n${listText(unfinished)}\n${advice}`;
}

function listText(tasks: readonly TaskView[]): string {
  return tasks
    .map(({ record, status, interrupted }) => {
      const state = interrupted ? "interrupted" : status;
      const name = record.label === undefined ? record.tool : `${record.tool} ${JSON.stringify(record.label)}`;
      return `- ${name}, task_id ${record.id}: ${state}, ${progressText(record)}`;
    })
    .join("\n");
}

/** The caller's unfinished tasks, newest first. */
async function unfinishedTasks(tasks: Call["tasks"], limit: number): Promise<readonly TaskView[]> {
  const page = await tasks.list({ statuses: unfinishedStatuses, limit });
  return (await viewsOf(tasks, page.tasks)).views;
}

/** Reads what a page lists. A task that was deleted since is left out; one that is damaged hides no other. */
async function viewsOf(
  tasks: Call["tasks"],
  listed: readonly TaskSummary[],
): Promise<{ readonly views: readonly TaskView[]; readonly damaged: readonly JsonObject[] }> {
  const damaged = new Map<string, JsonObject>();
  const read = async ({ id, tool }: TaskSummary) => {
    try {
      return await findTask(tasks, id);
    } catch (error) {
      if (!isResumableError(error, "TASK_CORRUPT")) throw error;
      const { code, message } = error;
      damaged.set(id, { task_id: id, task_name: tool, error: { code, message } });
      return undefined;
    }
  };
  const found = await Promise.all(listed.map(read));
  return {
    views: found.filter((view) => view !== undefined),
    damaged: listed.map(({ id }) => damaged.get(id)).filter((task) => task !== undefined),
  };
}

/** All control tools. */
export const controlTools: readonly ControlTool[] = [
  getTask,
  waitForTask,
  pauseTask,
  resumeTask,
  cancelTask,
  answerByModel,
  deleteTask,
  getTaskItems,
  listSessionTasks,
  checkpointStats,
  sessionInfo,
];

/** The control tools that a server has: all or none, since `minimal` shortens only its list. */
export function offeredTools(mode: ControlToolMode): readonly ControlTool[] {
  return mode === "none" ? [] : controlTools;
}

function viewResult(call: Call, view: TaskView) {
  return dataResult(guidedTask(call, view));
}
