import { isJsonObject, type Json, type TaskView } from "@resumable-mcp/core";
import { toPercent } from "@resumable-mcp/protocol";

const nextTools = { running: "wait_for_task", paused: "resume_task", input_required: "answer_task" } as const;

/** How a task is that has not finished: what is to be done depends on it. */
export type InterimStatus = keyof typeof nextTools;

/** What continues a task or fetches its result: a tool, and what to do with it as a sentence for models. */
export interface NextStep {
  readonly next_tool: string;
  readonly advice: string;
}

/**
 * Says what to do next with a task that has not finished: a control tool, else the task's own again. Pure.
 *
 * @param prefix of the server's control tools; `undefined` where it has none.
 */
export function interimStep(view: TaskView, status: InterimStatus, prefix: string | undefined): NextStep {
  const { tool } = view.record;
  if (prefix === undefined) return { next_tool: tool, advice: sentencesOfCall(view)[status] };
  const isForUser = status === "input_required" && view.questions.every(({ question }) => question.userOnly === true);
  const next_tool = `${prefix}${isForUser ? nextTools.running : nextTools[status]}`;
  return {
    next_tool,
    advice: isForUser ? forUserText(view, callOf(next_tool, view)) : sentencesOf(view, next_tool)[status],
  };
}

/** The same for a task in whatever status; `undefined` where nothing is left to do. Pure. */
export function nextStep(view: TaskView, prefix = ""): NextStep | undefined {
  const { status, requested } = view;
  const wait = `${prefix}${nextTools.running}`;
  if (status === "completed") return { next_tool: wait, advice: `${callOf(wait, view)} for the result.` };
  if (status === "failed" || status === "cancelled") return undefined;
  if (requested === "cancel") {
    return {
      next_tool: wait,
      advice: `The task ends at its next checkpoint. ${callOf(wait, view)} to see that it has.`,
    };
  }
  if (requested === "pause" || status === "paused") return interimStep(view, "paused", prefix);
  return interimStep(view, status === "input_required" ? status : "running", prefix);
}

type Sentences = Readonly<Record<InterimStatus, string>>;

function sentencesOf(view: TaskView, next: string): Sentences {
  const { id, tool, refused, message } = view.record;
  const at = progressText(view.record);
  const again = callOf(next, view);
  return {
    running:
      refused === undefined
        ? `Still running: ${at}. Do not call ${tool} again. ${again} now, and again until the task's status is completed. The user may also come back later.`
        : `Not running: ${at}. ${message} Tell the user, and do not call ${tool} again. ${again} later: the task continues when such code is there.`,
    paused: `Task ${id} (${tool}) is paused at ${at}. Nothing is lost: ${next} or the same call continues it.`,
    input_required: `Task ${id} (${tool}) waits for an answer: ${askedText(view)}. Ask the user; never answer for them. Then call ${next} with ${answersText(view)}, or with the action decline and no content.`,
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
    input_required: forUserText(view, again),
  };
}

function forUserText(view: TaskView, again: string): string {
  const { id, tool } = view.record;
  return `Task ${id} (${tool}) waits for an answer: ${askedText(view)}. Tell the user: only a client that shows them the question can answer it. ${again} later.`;
}

function askedText({ questions }: TaskView): string {
  return questions.map(({ key, question }) => `"${question.message}" (key ${key})`).join(", ");
}

/** What answers the questions, for a model to fill in: some hosts show it no more of a result than its text. */
function answersText({ record, questions }: TaskView): string {
  const forModel = questions.filter(({ question }) => question.userOnly !== true);
  const answers = forModel.map(({ key, question: { schema } }) => {
    const fields = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
    const content = Object.fromEntries(fields.map(([name, field]) => [name, `<${placeholder(field)}>`]));
    return JSON.stringify({ task_id: record.id, key, action: "accept", content });
  });
  return answers.join(", and with ");
}

function placeholder(field: Json): string {
  if (!isJsonObject(field)) return "value";
  return Array.isArray(field.enum) ? field.enum.map(String).join(" | ") : String(field.type ?? "value");
}

const callOf = (tool: string, { record }: TaskView) => `Call ${tool} with ${JSON.stringify({ task_id: record.id })}`;

/** `15/50 (30 %)`, or what is known of it. */
export function progressText({ progress, total }: { readonly progress: number; readonly total?: number }): string {
  return total === undefined
    ? `${progress} done`
    : `${progress}/${total} (${Math.floor(toPercent(progress, total))} %)`;
}
