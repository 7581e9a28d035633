import { isFinal, type Question, type TaskInfo, type TaskResult } from "@resumable-mcp/client";
import { plainText } from "../../display/plain-text.js";
import { progressNumbers } from "../../display/progress-line.js";
import { continueCommand, statusMark, statusWord } from "../../display/task-facts.js";
import { type HistoryLine, readHistory } from "../../model/task-history.js";
import type { Command, CommandContext } from "../command.js";
import { exitCodes, UsageError } from "../exit-code.js";
import { followToEnd } from "../follow-to-end.js";
import { printResult, resultText, taskJson } from "../print-result.js";
import { parseToolArguments } from "../tool-arguments.js";
import { chosenTasks, parseStatuses } from "./chosen-tasks.js";

/** `tasks`: lists tasks, by default those that are not over. */
export const tasksCommand: Command = async ({ client, line, output }) => {
  const status = line.status === undefined ? undefined : parseStatuses(line.status);
  const tasks =
    status === undefined && !line.all
      ? (await client.unfinished()).filter(({ tool }) => line.tool === undefined || tool === line.tool)
      : await client.tasks({ tool: line.tool, status });
  if (output.json) output.object({ tasks: tasks.map(taskJson), total: tasks.length });
  else if (tasks.length === 0)
    output.line(line.all ? "No tasks." : "No unfinished tasks. --all lists the finished ones.");
  else for (const task of tasks) output.line(taskLine(task));
  return exitCodes.ok;
};

/** One line of a list of tasks. */
export function taskLine(task: TaskInfo): string {
  const { id, tool, status, interrupted, message } = task;
  const words = [
    statusMark(status, interrupted),
    id,
    tool,
    statusWord(status, interrupted),
    progressNumbers({ ...task, name: tool }),
  ];
  return [...words, plainText(message ?? "")].filter((word) => word !== "").join("  ");
}

/** `show ID`: one task in detail. */
export const showCommand: Command = async (context) => {
  const { client, output } = context;
  const task = client.task(taskIdOf(context, "show"));
  const info = await task.info();
  const journal = await task.journal();
  const { timeline, steps } = readHistory(journal);
  const result = isFinal(info.status) ? await task.result() : undefined;
  if (output.json) output.object({ ...taskJson(info), journal: journal?.events, ...resultJson(result) });
  else for (const text of [...describe(info), ...describeHistory(timeline, steps, result)]) output.line(text);
  return exitCodes.ok;
};

function resultJson(result: TaskResult | undefined): object {
  if (result === undefined) return {};
  const { isError: is_error, content, structuredContent: structured_content } = result;
  return { result: { is_error, content, structured_content } };
}

function describeHistory(
  timeline: readonly HistoryLine[],
  steps: readonly HistoryLine[],
  result: TaskResult | undefined,
): readonly string[] {
  const section = (title: string, lines: readonly HistoryLine[]) =>
    lines.length === 0 ? [] : [title, ...lines.map(({ at = "", text }) => `  ${at.slice(0, 19).padEnd(19)}  ${text}`)];
  const outcome = result === undefined ? [] : ["result", `  ${plainText(resultText(result))}`];
  return [...section("timeline", timeline), ...section("steps", steps), ...outcome];
}

function describe(task: TaskInfo): readonly string[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["task", task.id],
    ["tool", task.tool],
    ["server", task.server],
    ["status", statusWord(task.status, task.interrupted)],
    ["progress", progressNumbers({ ...task, name: task.tool })],
    ["message", task.message],
    ["attempt", `${task.attempt}, generation ${task.generation}`],
    ["items", String(task.itemCount)],
    ["created", task.createdAt],
    ["updated", task.updatedAt],
    ["finished", task.finishedAt],
    ["error", task.error === undefined ? undefined : `${task.error.code}: ${task.error.message}`],
    ["continue", continuationOf(task)],
    ...task.questions.map(({ key, message }) => ["asks", `${key}: ${message}`] as const),
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)} ${plainText(value)}`]));
}

function continuationOf({ id, error }: TaskInfo): string | undefined {
  if (error?.continuation === undefined) return undefined;
  const command = continueCommand(id, error);
  return command === undefined ? error.continuation : `${error.continuation} ${command}`;
}

/** `watch [ID]`: follows one task to its end, or all that are not over. */
export const watchCommand: Command = async (context) => {
  const { client, line } = context;
  const [id] = line.words;
  if (id === undefined) return watchAll(context);
  const task = client.task(id);
  const { tool } = await task.info();
  return followToEnd(context, {
    taskId: id,
    name: tool,
    events: () => task.follow({ fromStart: line.fromStart }),
    result: () => task.result(),
  });
};

async function watchAll(context: CommandContext): Promise<number> {
  const { client, output } = context;
  const unfinished = await client.unfinished();
  if (unfinished.length === 0) {
    if (!output.json) output.line("No unfinished tasks.");
    return exitCodes.ok;
  }
  // Lines of several tasks cannot be drawn over each other.
  const lines = { ...output, progress: output.note, columns: output.columns };
  const left = context.interrupts.next();
  const shared = { ...context, output: lines, interrupts: { next: () => left } };
  const codes = await Promise.all(
    unfinished.map(({ id, tool, server }) => {
      const task = client.task(id, server);
      return followToEnd(shared, { taskId: id, name: tool, events: () => task.follow(), result: () => task.result() });
    }),
  );
  return codes.find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}

/** `wait ID`: waits for the end without a word and prints the result. */
export const waitCommand: Command = async (context) => {
  const { client } = context;
  const id = taskIdOf(context, "wait");
  const task = client.task(id);
  const { tool } = await task.info();
  const quiet = { ...context.output, line: () => {}, progress: () => {}, object: () => {}, note: () => {} };
  const code = await followToEnd(
    { ...context, output: quiet },
    {
      taskId: id,
      name: tool,
      events: () => task.follow(),
      async result() {
        const result = await task.result();
        printResult(context.output, result);
        return result;
      },
    },
  );
  if (code === exitCodes.paused) context.output.note(`Paused. Resume with: resumable-mcp resume ${id}`);
  if (code === exitCodes.inputRequired) context.output.note(`It waits for an answer: resumable-mcp show ${id}`);
  if (code === exitCodes.unfinished) context.output.note(`Not finished yet. Wait again with: resumable-mcp wait ${id}`);
  return code;
};

/** `result ID`: prints the result of a task that is over. */
export const resultCommand: Command = async (context) => {
  const { client, output } = context;
  const id = taskIdOf(context, "result");
  const task = client.task(id);
  const info = await task.info();
  if (!isFinal(info.status)) {
    if (output.json) output.object(taskJson(info));
    else
      output.note(
        `Not finished yet: ${statusWord(info.status, info.interrupted)}, ${progressNumbers({ ...info, name: info.tool })}.`,
      );
    return exitCodes.unfinished;
  }
  printResult(output, await task.result());
  return exitCodes.ok;
};

/** `pause ID…`, `resume ID…`, `cancel ID…`: steers tasks, one after the other; the first that cannot be ends it. */
export function steerCommand(verb: "pause" | "resume" | "cancel"): Command {
  return async (context) => {
    const { client, output } = context;
    for (const id of await chosenTasks(context, verb)) {
      const info = await client.task(id)[verb]();
      if (output.json) output.object(taskJson(info));
      else output.line(taskLine(info));
    }
    return exitCodes.ok;
  };
}

/** `forget ID…`: deletes finished tasks; unfinished ones stay on their server and leave this client's lists. */
export const forgetCommand: Command = async (context) => {
  const { client, output } = context;
  for (const id of await chosenTasks(context, "forget")) {
    const task = client.task(id);
    const finished = isFinal((await task.info()).status);
    await (finished ? task.remove() : task.forget());
    if (output.json) output.object({ task_id: id, deleted: finished });
    else output.line(finished ? `Deleted ${id}.` : `Forgot ${id}; it stays on its server.`);
  }
  return exitCodes.ok;
};

/** `items ID`: prints what the checkpoints of a task have put out, one JSON value a line. */
export const itemsCommand: Command = async (context) => {
  const { client, output } = context;
  for await (const item of client.task(taskIdOf(context, "items")).items()) output.object(item);
  return exitCodes.ok;
};

/** `answer ID KEY [key=value …]`: answers a task's question. */
export const answerCommand: Command = async (context) => {
  const { client, line, output } = context;
  const id = taskIdOf(context, "answer");
  const [, key, ...words] = line.words;
  const task = client.task(id);
  const question = findQuestion(await task.info(), key);
  const { answer: action } = line;
  const content = action === "accept" ? parseToolArguments(words, line.args, question.schema) : {};
  const info = await task.answer(question.key, action === "accept" ? { action, content } : { action });
  if (output.json) output.object(taskJson(info));
  else output.line(taskLine(info));
  return exitCodes.ok;
};

function findQuestion({ id, questions }: TaskInfo, key: string | undefined): Question {
  const [only, ...others] = questions;
  const question = key === undefined && others.length === 0 ? only : questions.find((entry) => entry.key === key);
  if (question !== undefined) return question;
  if (questions.length === 0) throw new UsageError(`Task ${id} has no open question.`);
  throw new UsageError(
    `Task ${id} asks: ${questions.map((entry) => `${entry.key} ("${plainText(entry.message)}")`).join(", ")}. Name one.`,
  );
}

function taskIdOf({ line }: CommandContext, command: string): string {
  const [id] = line.words;
  if (id === undefined) throw new UsageError(`${command} needs the id of a task. \`tasks\` lists yours.`);
  return id;
}
