import {
  type Client,
  isClientError,
  isFinal,
  type TaskHandle,
  type TaskInfo,
  type TaskResult,
} from "@resumable-mcp/client";
import { didYouMean, formatTask, formatTasks } from "@resumable-mcp/command-line/options";
import { type QuestionAnswer, type TaskQuestion, unfinishedStatuses } from "@resumable-mcp/protocol";
import { withCommands } from "../../advice.js";
import { cutText, plainText, textWidth } from "../../display/plain-text.js";
import { progressNumbers } from "../../display/progress-line.js";
import { serverLabelAt } from "../../display/server-label.js";
import { continueCommand, saveCommand, statusWord, titleOf, toolTitle } from "../../display/task-status.js";
import { whoseTasks } from "../../display/whose-tasks.js";
import { errorMessage } from "../../json.js";
import type { Command, CommandContext } from "../command.js";
import { taskStatuses } from "../command-table.js";
import { exitCodeOfError, exitCodes, UsageError } from "../exit-code.js";
import { followToEnd } from "../follow-to-end.js";
import { type Output, printResult, resultText } from "../output.js";
import { mayRepeat } from "../run-when-served.js";
import { answerCommand, answerRows, taskLine } from "../task-text.js";
import { checkArguments, ofQuestion, parseToolArguments } from "../tool-arguments.js";
import { save } from "./save-command.js";
import { rememberedTasks, type SilentServers, silentServers } from "./silent-servers.js";

/** `tasks`: lists tasks, by default those that are not over. */
const tasks: Command = async (context) => {
  const { client, line, output } = context;
  const isOfAll = line["all-owners"];
  const silent = silentServers(client);
  const answered = await listTasks(context, line.all, silent);
  // What is remembered says nothing of a status, and of no other owner.
  const remembers = !isOfAll && line.status === undefined;
  const seen = silent.servers.map((server) => (remembers ? rememberedTasks(client, server, line.tool) : []));
  const found = [...answered, ...seen.flat()].toSorted((left, right) =>
    (right.createdAt ?? "").localeCompare(left.createdAt ?? ""),
  );
  if (!line.json) output.note(isOfAll ? "These are the tasks of all owners." : whoseTasks(client.summary()));
  if (!line.json && isOfAll) for (const text of await failureLines(client)) output.note(text);
  const servers = client.servers();
  const { json, lines } = formatTasks(found, {
    all: line.all,
    nowMs: Date.now(),
    columns: output.resultColumns,
    cut: cutText,
    widthOf: textWidth,
    serverLabel: (address) => serverLabelAt(address, servers),
  });
  output.result({ ...json, ...silent.json }, lines);
  return silent.report(output, (server) =>
    found.some((task) => task.server === server)
      ? "its unfinished tasks are shown as they were last seen."
      : "its tasks are not listed.",
  );
};

/** Which tools fail. */
async function failureLines(client: Client): Promise<readonly string[]> {
  const [stats, tools] = await Promise.all([client.stats({ allOwners: true }), client.tools().catch(() => [])]);
  return stats.flatMap(({ server, failedByTool = {} }) => {
    const nameOf = (tool: string) =>
      titleOf(tools.find((one) => one.server === server && one.name === tool) ?? { name: tool });
    const counts = Object.entries(failedByTool).map(([tool, count]) => `${nameOf(tool)} ${count}`);
    return counts.length === 0 ? [] : [`Failed, by tool: ${counts.join(", ")}`];
  });
}

function showTask(output: Output, task: TaskInfo): number {
  return output.result(formatTask(task).json, [taskLine(task)]);
}

/** `show ID`: one task in detail. */
const show: Command = async (context) => {
  const { client, output } = context;
  const task = client.task(taskIdOf(context, "show"));
  const info = await task.info();
  const journal = await task.journal();
  const result = isFinal(info.status) ? await task.result() : undefined;
  const { json, lines } = formatTask(info, {
    journal,
    result: result && { json: resultJson(result), text: resultText(result) },
    advise: withCommands,
    next: continueCommand(info.id, info.error),
    save: saveCommand(info.id),
    answerRows: (question) => answerRows(info.id, question),
  });
  return output.result(json, lines);
};

function resultJson({ isError: is_error, content, structuredContent: structured_content }: TaskResult): object {
  return { is_error, content, structured_content };
}

/** `watch [ID]`: follows one task to its end, or all that are not over. */
const watch: Command = async (context) => {
  const { client, line } = context;
  const [id] = line.words;
  if (id === undefined) return watchAll(context);
  const task = client.task(id);
  const name = toolTitle(await task.info());
  const events = () => task.follow({ fromStart: line["from-start"] });
  return followToEnd(context, { taskId: id, name, events, result: () => task.result() });
};

async function watchAll(context: CommandContext): Promise<number> {
  const { client, output } = context;
  const silent = silentServers(client);
  const unfinished = await client.unfinished(silent);
  const missing = silent.report(output, () => "its tasks are not followed.");
  if (unfinished.length === 0) {
    if (!output.json) output.line("No unfinished tasks.");
    return missing;
  }
  // Lines of several tasks cannot be drawn over each other.
  const lines = { ...output, progress: output.note };
  const left = context.interrupts.next();
  const shared = { ...context, output: lines, interrupts: { next: () => left } };
  const codes = await Promise.all(
    unfinished.map((info) => {
      const task = client.task(info.id, info.server);
      const target = {
        taskId: info.id,
        name: toolTitle(info),
        events: () => task.follow(),
        result: () => task.result(),
      };
      return followToEnd(shared, target);
    }),
  );
  return codes.find((code) => code !== exitCodes.ok) ?? missing;
}

/** `wait ID`: waits for the end and prints the result, and nothing of what goes by. */
const wait: Command = async (context) => {
  const { line, output } = context;
  const id = taskIdOf(context, "wait");
  const task = context.client.task(id);
  const name = toolTitle(await task.info());
  const target = { taskId: id, name, events: () => task.follow(), result: () => task.result() };
  const silent = { ...output, object: () => undefined };
  return followToEnd({ ...context, line: { ...line, quiet: true }, output: silent }, target);
};

/** `result ID`: prints the result of a task that is over. */
const result: Command = async (context) => {
  const { client, output } = context;
  const task = client.task(taskIdOf(context, "result"));
  const info = await task.info();
  if (isFinal(info.status)) {
    printResult(output, await task.result());
    return exitCodes.ok;
  }
  const { status, interrupted } = info;
  if (output.json) output.object(formatTask(info).json);
  else output.note(`Not finished yet: ${statusWord(status, interrupted)}, ${progressNumbers(info)}.`);
  return exitCodes.unfinished;
};

/** Does something to each task that is named. One that refuses hinders no other, is said, and gives the exit code. */
async function forEach(context: CommandContext, verb: BulkVerb, act: (task: TaskHandle) => Promise<unknown>) {
  const { client, output } = context;
  const silent = silentServers(client);
  const chosen = await chosenTasks(context, verb, silent);
  let code = silent.report(output, () => `${verb} leaves its tasks alone.`);
  for (const id of chosen) {
    try {
      await act(client.task(id));
    } catch (error) {
      // As long as no server has answered, the command as a whole is tried again.
      if (!isClientError(error) || mayRepeat(error, client)) throw error;
      const message = errorMessage(error);
      if (output.json) output.object({ task_id: id, error: { code: error.code, message } });
      else output.note(`refused  ${id}  ${error.code}: ${plainText(message)}`);
      if (code === exitCodes.ok) code = exitCodeOfError(error);
    }
  }
  return code;
}

/** `pause ID…`, `resume ID…`, `cancel ID…`: steers tasks, one after the other. */
function steer(verb: "pause" | "resume" | "cancel"): Command {
  return (context) => forEach(context, verb, async (task) => showTask(context.output, await task[verb]()));
}

/** `delete ID…`: deletes finished tasks; unfinished ones stay on their server and leave this client's lists. */
const deleteTasks: Command = (context) =>
  forEach(context, "delete", async (task) => {
    const { id } = task;
    const deleted = isFinal((await task.info()).status);
    await (deleted ? task.remove() : task.forget());
    const text = deleted ? `Deleted ${id}.` : `${id} left the list; it stays on its server.`;
    context.output.result({ task_id: id, deleted }, [text]);
  });

/** `items ID`: prints what the checkpoints of a task have put out, one JSON value a line. */
const items: Command = async (context) => {
  const { client, output } = context;
  for await (const item of client.task(taskIdOf(context, "items")).items()) output.object(item);
  return exitCodes.ok;
};

/** `answer ID KEY [key=value …]`: answers a task's question. */
const answer: Command = async (context) => {
  const { client, line, output } = context;
  const task = client.task(taskIdOf(context, "answer"));
  const [, key, ...words] = line.words;
  const question = findQuestion(await task.info(), key);
  return showTask(output, await task.answer(question.key, await givenAnswer(context, question, words)));
};

async function givenAnswer(
  { line }: CommandContext,
  question: TaskQuestion,
  words: readonly string[],
): Promise<QuestionAnswer> {
  if (line.decline || line.dismiss) return { action: line.decline ? "decline" : "cancel" };
  const content = parseToolArguments(words, line.args, question.schema, ofQuestion);
  await checkArguments(content, question.schema, `For example: ${answerCommand(line.words[0] ?? "ID", question)}`);
  return { action: "accept", content };
}

function findQuestion({ id, questions }: TaskInfo, key: string | undefined): TaskQuestion {
  const [only, ...others] = questions;
  const question = key === undefined && others.length === 0 ? only : questions.find((entry) => entry.key === key);
  if (question !== undefined) return question;
  if (questions.length === 0) throw new UsageError(`Task ${id} has no open question.`);
  const asked = questions.map((entry) => `${entry.key} ("${plainText(entry.message)}")`);
  const wrong = key === undefined ? "" : `${key} is not an open question of this task. `;
  throw new UsageError(`${wrong}Task ${id} asks: ${asked.join(", ")}. Name one.`);
}

function taskIdOf({ line }: CommandContext, command: string): string {
  const [id] = line.words;
  if (id === undefined) throw new UsageError(`${command} needs the id of a task. \`tasks\` lists yours.`);
  return id;
}

/** What can be done with several tasks at once. */
type BulkVerb = "pause" | "resume" | "cancel" | "delete";

/** The ids that a command names, or with `--all` those of the tasks that it makes sense for; `asked`: `--status` names them. */
async function chosenTasks(context: CommandContext, verb: BulkVerb, silent: SilentServers): Promise<readonly string[]> {
  const { line } = context;
  const filtered = line.status !== undefined || line.tool !== undefined;
  if (!line.all && filtered) throw new UsageError(`${verb} with --status or --tool also needs --all.`);
  if (line.all && line.words.length > 0) throw new UsageError(`Give ${verb} either ids or --all.`);
  if (!line.all && line.words.length === 0) {
    throw new UsageError(`${verb} needs the id of a task, or --all. \`tasks\` lists yours.`);
  }
  if (!line.all) return line.words;
  const tasks = await listTasks(context, verb === "delete", silent);
  const asked = line.status !== undefined;
  return tasks.filter((task) => makesSense[verb](task, asked)).map(({ id }) => id);
}

/** The tasks that `--status` and `--tool` name; without a status the unfinished ones, and the finished ones on request. */
async function listTasks(
  { client, line }: CommandContext,
  finished: boolean,
  { onFailed }: SilentServers,
): Promise<readonly TaskInfo[]> {
  const status = line.status?.map((word) => {
    const known = taskStatuses.find((one) => one === word);
    if (known === undefined) {
      const near = didYouMean(word, taskStatuses);
      throw new UsageError(`There is no status ${word}.${near} There are: ${taskStatuses.join(", ")}.`);
    }
    return known;
  });
  const unfinished = finished ? undefined : unfinishedStatuses;
  const filter = { tool: line.tool, status, onFailed };
  if (line["all-owners"]) return client.tasks({ ...filter, status: status ?? unfinished, allOwners: true });
  if (status !== undefined || finished) return client.tasks(filter);
  return (await client.unfinished({ onFailed })).filter(({ tool }) => line.tool === undefined || tool === line.tool);
}

const makesSense: Readonly<Record<BulkVerb, (task: TaskInfo, asked: boolean) => boolean>> = {
  pause: ({ status }) => status === "pending" || status === "running" || status === "input_required",
  // What was paused was paused on purpose: `--status paused` resumes it.
  resume: ({ status, interrupted }, asked) => interrupted || (asked && (status === "paused" || status === "failed")),
  cancel: ({ status }) => !isFinal(status),
  delete: ({ status }) => isFinal(status),
};

/** The subcommands that show or change tasks. */
export const taskCommands = {
  ...{ tasks, show, watch, wait, result, delete: deleteTasks, items, save, answer },
  ...{ pause: steer("pause"), resume: steer("resume"), cancel: steer("cancel") },
};
