import type { ServerInfo } from "@resumable-mcp/client";
import { textWidth } from "../../display/plain-text.js";
import { serverLabel, serverWord } from "../../display/server-label.js";
import type { BoardTask } from "../../model/board-task.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, keptCursor, meaning, moveCursor } from "../keys/key-rules.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** The keys of the opening screen. */
export const openingKeys = [
  "Enter resume all",
  "r resume",
  "w watch",
  "c cancel",
  "f forget",
  "m menu",
  "Ctrl-C leave",
];

/** What the user wants with the tasks that are not finished. */
export type OpeningOutcome =
  | { readonly type: "resume_all" | "menu" | "keys" }
  | { readonly type: "resume" | "watch" | "cancel" | "forget"; readonly taskId: string };

const verbs = { r: "resume", w: "watch", c: "cancel", f: "forget" } as const;

/**
 * Moves through the unfinished tasks and says what is wanted with them.
 *
 * Until every server is `ready`, Enter is also for the tasks that are not listed yet.
 */
export function reduceOpening(
  state: Cursor,
  key: KeyPress,
  ids: readonly string[],
  ready: boolean,
): KeyStep<Cursor, OpeningOutcome> {
  const cursor = moveCursor(keptCursor(state, ids), key, ids.length);
  const taskId = ids[cursor];
  const next = { cursor, at: taskId };
  if (key.name === "enter" && (ids.length > 0 || !ready)) return { state: next, outcome: { type: "resume_all" } };
  if (key.name === "escape" || key.text === "m") return { state: next, outcome: { type: "menu" } };
  if (key.text === "?") return { state: next, outcome: { type: "keys" } };
  const type = meaning(verbs, key.text);
  return { state: next, outcome: taskId === undefined || type === undefined ? undefined : { type, taskId } };
}

/** One line of the opening screen: a server with how it stands, or one of its tasks. */
export type OpeningLine =
  | { readonly kind: "server"; readonly key: string; readonly text: string }
  | { readonly kind: "task"; readonly key: string; readonly task: BoardTask };

/** Every server, and under it what is not finished there. */
export function openingLines(servers: readonly ServerInfo[], tasks: readonly BoardTask[]): readonly OpeningLine[] {
  const known = new Set(servers.map(({ address }) => address));
  const linesOf = (isHere: (server: string) => boolean) =>
    tasks.filter(({ info }) => isHere(info.server)).map((task) => ({ kind: "task", key: task.info.id, task }) as const);
  return [
    ...servers.flatMap((server): readonly OpeningLine[] => {
      const text = `${serverLabel(server)}  ${serverWord(server.state)}`;
      return [{ kind: "server", key: server.address, text }, ...linesOf((address) => address === server.address)];
    }),
    ...linesOf((address) => !known.has(address)),
  ];
}

/** The tasks in the order in which they are shown. */
export function openingTasks(lines: readonly OpeningLine[]): readonly BoardTask[] {
  return lines.flatMap((line) => (line.kind === "task" ? [line.task] : []));
}

/** The question that the program opens with; without room for it, its subject alone. */
export function openingQuestion(count: number, ready: boolean, columns: number): string {
  if (count === 0) return ready ? "No unfinished tasks." : "Looking for your tasks…";
  const subject = count === 1 ? "1 of your tasks is not finished" : `${count} of your tasks are not finished`;
  const question = `${subject}: resume, watch, cancel, forget?`;
  return textWidth(question) <= columns ? question : `${subject}.`;
}
