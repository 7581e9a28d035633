import { isFinal, type TaskInfo, type TaskStatus } from "@resumable-mcp/client";
import type { CommandContext } from "../command.js";
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
  return line.all ? (await listFor(context, verb)).map(({ id }) => id) : line.words;
}

async function listFor({ client, line }: CommandContext, verb: BulkVerb): Promise<readonly TaskInfo[]> {
  const status = line.status === undefined ? undefined : parseStatuses(line.status);
  const named = status !== undefined || verb === "forget";
  const tasks = named
    ? await client.tasks({ tool: line.tool, status })
    : (await client.unfinished()).filter((task) => line.tool === undefined || task.tool === line.tool);
  return tasks.filter((task) => makesSense[verb](task));
}

const makesSense: Readonly<Record<BulkVerb, (task: TaskInfo) => boolean>> = {
  pause: ({ status }) => status === "pending" || status === "running" || status === "input_required",
  resume: ({ status, interrupted }) => status === "paused" || status === "failed" || interrupted,
  cancel: ({ status }) => !isFinal(status),
  forget: ({ status }) => isFinal(status),
};

const statuses: readonly TaskStatus[] = [
  "pending",
  "running",
  "paused",
  "input_required",
  "completed",
  "failed",
  "cancelled",
];

/** Checks the statuses that `--status` names. */
export function parseStatuses(words: readonly string[]): readonly TaskStatus[] {
  return words.map((word) => {
    const status = statuses.find((known) => known === word);
    if (status === undefined) throw new UsageError(`There is no status ${word}. There are: ${statuses.join(", ")}.`);
    return status;
  });
}
