import { isFinal, type TaskInfo } from "@resumable-mcp/client";
import type { CommandContext } from "../command.js";
import { taskStatuses } from "../command-table.js";
import { UsageError } from "../exit-code.js";

/** What can be done with several tasks at once. */
export type BulkVerb = "pause" | "resume" | "cancel" | "forget";

/** The ids that a command names, or with `--all` those of the tasks that it makes sense for. */
export async function chosenTasks(context: CommandContext, verb: BulkVerb): Promise<readonly string[]> {
  const { line } = context;
  const filtered = line.status !== undefined || line.tool !== undefined;
  if (!line.all && filtered) throw new UsageError(`${verb} with --status or --tool also needs --all.`);
  if (line.all && line.words.length > 0) throw new UsageError(`Give ${verb} either ids or --all.`);
  if (!line.all && line.words.length === 0) {
    throw new UsageError(`${verb} needs the id of a task, or --all. \`tasks\` lists yours.`);
  }
  if (!line.all) return line.words;
  const tasks = await listTasks(context, verb === "forget");
  return tasks.filter((task) => makesSense[verb](task)).map(({ id }) => id);
}

/** The tasks that `--status` and `--tool` name; without a status the unfinished ones, and the finished ones on request. */
export async function listTasks({ client, line }: CommandContext, finished: boolean): Promise<readonly TaskInfo[]> {
  const status = line.status?.map((word) => {
    const known = taskStatuses.find((one) => one === word);
    if (known === undefined) throw new UsageError(`There is no status ${word}. There are: ${taskStatuses.join(", ")}.`);
    return known;
  });
  if (status !== undefined || finished) return client.tasks({ tool: line.tool, status });
  return (await client.unfinished()).filter(({ tool }) => line.tool === undefined || tool === line.tool);
}

const makesSense: Readonly<Record<BulkVerb, (task: TaskInfo) => boolean>> = {
  pause: ({ status }) => status === "pending" || status === "running" || status === "input_required",
  resume: ({ status, interrupted }) => status === "paused" || status === "failed" || interrupted,
  cancel: ({ status }) => !isFinal(status),
  forget: ({ status }) => isFinal(status),
};
