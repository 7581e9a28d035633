import {
  type ActiveTask,
  type Client,
  type CompletedTask,
  type ServerStats,
  shownPercent,
} from "@resumable-mcp/client";
import { plainText } from "./plain-text.js";
import { progressNumbers } from "./progress-line.js";

/** How many finished tasks are named. */
const lastFinished = 5;

/** One line about a task as the state file remembers it. */
function activeLine({ task_id, task_name, current_step: progress, total_steps, last_message }: ActiveTask): string {
  const total = total_steps ?? undefined;
  const numbers = progressNumbers({ progress, total, percent: shownPercent(progress, total) });
  return [task_id, task_name, numbers, plainText(last_message ?? "")].join("  ").trimEnd();
}

/** How many tasks ended in which way, and the last of them. */
function finishedLines(tasks: readonly CompletedTask[]): readonly string[] {
  const countOf = (status: CompletedTask["status"]) => tasks.filter((task) => task.status === status).length;
  const unhappy = (["failed", "cancelled"] as const).filter((status) => countOf(status) > 0);
  const last = tasks.slice(-lastFinished).toReversed();
  return [
    ...(["completed", ...unhappy] as const).map((status) => `${status.padEnd(10)} ${countOf(status)}`),
    ...last.map((task) => `  ${task.task_id}  ${task.task_name}  ${task.status}  ${task.finished_at}`),
  ];
}

/** The sentence of a client whose state was found. */
export function reusing(clientId: string): string {
  return `Reusing Persistent Client ID ${clientId}.`;
}

/** Who this client is, and what it remembers. */
export function sessionLines({ summary, stateOrigin }: Pick<Client, "summary" | "stateOrigin">): readonly string[] {
  const { clientId, stateFile, createdAt, servers, activeTasks, completedTasks } = summary();
  return [
    ...(stateOrigin === "found" ? [reusing(clientId)] : []),
    `client     ${clientId}`,
    `state file ${stateFile}`,
    `created    ${createdAt}`,
    ...servers.flatMap((server) => [
      `server     ${server.address}`,
      `  session  ${server.sessionId ?? "none"}`,
      `  tasks    of ${server.clientId === undefined ? "this machine's user" : `the client ID ${server.clientId}`}`,
    ]),
    `active     ${activeTasks.length}`,
    ...activeTasks.map((task) => `  ${activeLine(task)}`),
    ...finishedLines(completedTasks),
  ];
}

/** How many tasks of which status a server keeps. */
export function countLines({ server, counts, total }: ServerStats): readonly string[] {
  const lines = Object.entries({ ...counts, total }).map(([name, count]) => `  ${name.padEnd(15)} ${count}`);
  return [server, ...lines];
}
