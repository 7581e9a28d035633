import type { ServerInfo } from "@resumable-mcp/client";
import { textWidth } from "../../display/plain-text.js";
import { serverLabel } from "../../display/server-label.js";
import { serverWord } from "../../display/server-word.js";
import type { LiveTask } from "../../model/live-task.js";

/** One line of the opening screen: a server with how it stands, or one of its tasks. */
export type OpeningLine =
  | { readonly kind: "server"; readonly key: string; readonly text: string }
  | { readonly kind: "task"; readonly key: string; readonly task: LiveTask };

/** Every server, and under it what is not finished there. */
export function openingLines(servers: readonly ServerInfo[], tasks: readonly LiveTask[]): readonly OpeningLine[] {
  const known = new Set(servers.map(({ address }) => address));
  const others = tasks.filter(({ info }) => !known.has(info.server));
  return [...servers.flatMap((server) => serverLines(server, tasks)), ...others.map(taskLine)];
}

/** The tasks in the order in which they are shown. */
export function openingTasks(lines: readonly OpeningLine[]): readonly LiveTask[] {
  return lines.flatMap((line) => (line.kind === "task" ? [line.task] : []));
}

function serverLines(server: ServerInfo, tasks: readonly LiveTask[]): readonly OpeningLine[] {
  const { address, state } = server;
  const text = `${serverLabel(server)}  ${serverWord(state)}`;
  const own = tasks.filter(({ info }) => info.server === address);
  return [{ kind: "server", key: address, text }, ...own.map(taskLine)];
}

function taskLine(task: LiveTask): OpeningLine {
  return { kind: "task", key: task.info.id, task };
}

/** The question that the program opens with; where it does not fit, what it tells of. */
export function openingQuestion(count: number, ready: boolean, columns: number): string {
  if (count === 0) return ready ? "Nothing is unfinished." : "Looking for your tasks…";
  const subject = count === 1 ? "1 of your tasks is not finished" : `${count} of your tasks are not finished`;
  const question = `${subject}: resume, watch, cancel, forget?`;
  return textWidth(question) <= columns ? question : `${subject}.`;
}
