import {
  decodeJournal,
  decodeStats,
  decodeTask,
  decodeTaskPage,
  isFinal,
  JsonFields,
  type JsonObject,
  type TaskFacts,
} from "@resumable-mcp/protocol";
import {
  CallError,
  type OpenedCall,
  type PanelConnection,
  type PanelTool,
  readStructured,
} from "../connection/connection.js";
import { type CalledTask, readFamily } from "./family.js";
import type { PanelAction, PanelState } from "./panel-state.js";
import { maxJournalEvents, type PanelTask } from "./panel-task.js";
import type { PollFacts } from "./poll-delay.js";
import { readTools } from "./runnable-tool.js";

/** What a poll needs: the way to the server, what is known, and where what it finds goes. */
export interface PollContext {
  /** Calls a tool for the tasks that are shown: the caller's own, or those of all owners. */
  readonly call: (tool: PanelTool, args: JsonObject) => Promise<JsonObject>;
  readonly connection: PanelConnection;
  readonly state: () => PanelState;
  readonly dispatch: (action: PanelAction) => void;
  readonly now: () => number;
}

type Activity = PollFacts["activity"];

/** Tasks of one page of the list, and the most that the list shows. */
const pageSize = 200;
/** The list shows so many tasks at most: the newest. */
export const maxListed = 1_000;
/** Events of one page of a journal, and pages that one poll reads. */
const eventPage = 1_000;
const maxEventPages = 5;
/** Tasks that one poll reads of what a task called, on all levels. */
const maxReadFamily = 16;

/** Reads the caller's tasks, newest first, and how many there are of each status. */
export async function pollList({ call, dispatch, now }: PollContext): Promise<Activity> {
  const tasks: TaskFacts[] = [];
  let total: number | undefined;
  let cursor: string | undefined;
  do {
    const page = await call("list_session_tasks", {
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    });
    const read = decodeTaskPage(page);
    tasks.push(...read.tasks);
    ({ total, nextCursor: cursor } = read);
  } while (cursor !== undefined && tasks.length < maxListed);
  dispatch({ type: "listed", tasks: tasks.slice(0, maxListed), total: total ?? tasks.length, atMs: now() });
  const { counts, failedByTool } = decodeStats(await call("get_checkpoint_stats", {}));
  dispatch({ type: "counted", counts, failedByTool });
  if (tasks.some(({ status, interrupted }) => status === "running" && !interrupted)) return "moving";
  return tasks.some(({ status }) => !isFinal(status)) ? "waiting" : "still";
}

/** Reads one task, what happened to it since, and what it returned. */
export async function pollTask(context: PollContext, taskId: string): Promise<Activity> {
  const { call, dispatch, now, state } = context;
  try {
    const info = decodeTask(await call("get_task", { task_id: taskId }));
    if (info === undefined) throw new CallError("refused", "The server's answer is not a task.");
    dispatch({ type: "seen", task: info, atMs: now() });
    const task = state().tasks.get(taskId);
    await Promise.all([readEvents(context, taskId, task), readCalled(context, info)]);
    if (isFinal(info.status) && task?.result === undefined) await readResult(context, taskId);
    if (isFinal(info.status)) return "still";
    const moves = info.status === "running" || info.status === "pending" || task?.requested !== undefined;
    return moves ? "moving" : "waiting";
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== "TASK_NOT_FOUND") throw error;
    dispatch({ type: "gone", taskId });
    return "still";
  }
}

/** Reads how far those are that a task waits for, on all levels; what has ended is read once, for what it called. */
async function readCalled({ call, dispatch, now, state }: PollContext, info: TaskFacts): Promise<void> {
  const asked = new Set<string>();
  const read = async ({ facts: { taskId, status } }: CalledTask): Promise<void> => {
    const task = decodeTask(await call("get_task", { task_id: taskId }).catch(undefinedWhereMissing));
    if (task !== undefined) dispatch({ type: "seen", task, atMs: now() });
    // One that was called a moment ago may not be there yet.
    else if (status !== "called") dispatch({ type: "gone", taskId });
  };
  for (;;) {
    const { tasks, unknown } = state();
    const isWanted = ({ facts: { taskId, status }, task }: CalledTask) => {
      const isUnread = task?.info.children === undefined && !unknown.has(taskId);
      return !asked.has(taskId) && (status === "called" || isUnread);
    };
    const next = readFamily(info, tasks)[1]
      .filter(isWanted)
      .slice(0, maxReadFamily - asked.size);
    if (next.length === 0) return;
    for (const { facts } of next) asked.add(facts.taskId);
    await Promise.all(next.map(read));
  }
}

function undefinedWhereMissing(error: unknown): undefined {
  if (!(error instanceof CallError) || error.code !== "TASK_NOT_FOUND") throw error;
}

/** Reads what the journal holds behind the last event that is known. A server without journals for apps shows no history. */
async function readEvents({ call, dispatch }: PollContext, taskId: string, task?: PanelTask): Promise<void> {
  let after = task?.journal?.events.at(-1)?.seq ?? 0;
  if (task === undefined || after >= task.info.lastSeq) return;
  // What is further back than what is kept is not read at all.
  after = Math.max(after, task.info.lastSeq - maxJournalEvents);
  for (let page = 0; page < maxEventPages; page += 1) {
    const answer = await call("get_task_journal", { task_id: taskId, after, limit: eventPage }).catch(
      (error: unknown) => undefinedWhereUnknown(error),
    );
    const journal = decodeJournal(answer);
    if (journal === undefined) {
      if (task.journal === undefined) dispatch({ type: "journal", taskId, journal: { lastSeq: 0, events: [] } });
      return;
    }
    dispatch({ type: "journal", taskId, journal });
    const next = JsonFields.of(answer)?.number("next") ?? journal.lastSeq;
    if (next >= journal.lastSeq || next <= after) return;
    after = next;
  }
}

async function readResult({ call, dispatch }: PollContext, taskId: string): Promise<void> {
  const answer = await call("get_task", { task_id: taskId, include: ["result"] });
  const result = JsonFields.of(answer)?.object("result");
  if (result !== undefined) dispatch({ type: "result", taskId, result });
}

/** Reads what operators may know; other callers are refused, and are not asked again. */
export async function pollServer({ call, dispatch }: PollContext): Promise<Activity> {
  try {
    dispatch({ type: "server", server: await call("get_server_info", {}) });
    return "waiting";
  } catch (error) {
    if (!(error instanceof CallError) || (error.failure !== "refused" && error.failure !== "unknown_tool")) throw error;
    dispatch({ type: "server", server: "denied" });
    return "still";
  }
}

/** Reads what people call the tools. */
export async function pollTitles({ call, dispatch }: PollContext): Promise<void> {
  const tools = readTools(await call("list_tools", {}).catch(undefinedWhereUnknown));
  dispatch({ type: "titles", titles: new Map(tools.map(({ name, title }) => [name, title])) });
}

/** Finds the task of the call for which a host has opened the view. */
export async function pollOpened(context: PollContext): Promise<Activity> {
  const { call, connection, dispatch, state } = context;
  const { opened = {} } = connection.facts();
  const taskId = namedTask(opened) ?? knownTask(state(), opened) ?? (await foundTask(connection, opened));
  if (taskId !== undefined) {
    const before = state().opened;
    if (before.name !== "found" || before.taskId !== taskId)
      dispatch({ type: "opened", opened: { name: "found", taskId } });
    const activity = await pollTask(context, taskId);
    // The user of this view is the caller, who has come back: a caller's task does not wait any longer.
    if (state().tasks.get(taskId)?.info.interrupted === true)
      await call("wait_for_task", { task_id: taskId, timeout_seconds: 0 }).catch(undefinedWhereUnknown);
    return activity;
  }
  if (opened.tool?.endsWith("list_session_tasks") === true) {
    dispatch({ type: "opened", opened: { name: "list" } });
    return await pollList(context);
  }
  // A call that is over and has no task belongs to a tool that is not resumable.
  dispatch({ type: "opened", opened: { name: opened.result === undefined ? "looking" : "none" } });
  return opened.result === undefined ? "moving" : "still";
}

/** The id in the call's arguments, as control tools have it, or in what it returned. */
export function namedTask({ arguments: input, result }: OpenedCall): string | undefined {
  const given = JsonFields.of(input)?.text("task_id");
  if (given !== undefined || result === undefined) return given;
  return JsonFields.of(readStructured(result))?.text("task_id");
}

/**
 * The task that was found before, as long as the server knows it. One that is over may be of an earlier call with the same
 * arguments, as long as this call has not returned: its own task may begin any time.
 */
function knownTask({ opened, tasks, unknown }: PanelState, { result, cancelled }: OpenedCall): string | undefined {
  if (opened.name !== "found" || unknown.has(opened.taskId)) return undefined;
  const info = tasks.get(opened.taskId)?.info;
  const isOver = info !== undefined && isFinal(info.status);
  return isOver && result === undefined && cancelled !== true ? undefined : opened.taskId;
}

async function foundTask(
  connection: PanelConnection,
  { tool, arguments: input }: OpenedCall,
): Promise<string | undefined> {
  if (tool === undefined || input === undefined) return undefined;
  const answer = await connection
    .call("find_task", { tool, arguments: input })
    .catch((error: unknown) => undefinedWhereUnknown(error));
  return JsonFields.of(answer)?.text("task_id");
}

/** A server may lack tools that are for apps alone: what they would tell is not shown. */
function undefinedWhereUnknown(error: unknown): JsonObject | undefined {
  if (error instanceof CallError && (error.failure === "unknown_tool" || error.failure === "refused")) return undefined;
  throw error;
}
