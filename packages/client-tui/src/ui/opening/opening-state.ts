import type { ServerInfo } from "@resumable-mcp/client";
import { serverLabel, serverWord } from "../../display/server-label.js";
import { statusWord } from "../../display/task-status.js";
import { type BoardTask, isAway } from "../../model/board-task.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, keptCursor, meaning, moveCursor } from "../keys/key-rules.js";
import { verbKeys } from "../keys/task-keys.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** The keys of the opening screen. */
export const openingKeys = [
  "Enter open",
  "R resume interrupted",
  "r resume",
  "p pause",
  "c cancel",
  "d delete",
  "2 tasks",
  ": commands",
  "g refresh",
  "m menu",
  "Ctrl-C leave",
];

/** What the user wants with the tasks that are not finished. */
export type OpeningOutcome =
  | { readonly type: "resume_all" | "menu" | "keys" | "refresh" }
  | { readonly type: "open" | "pause" | "resume" | "cancel" | "delete"; readonly taskId: string };

const general = { R: "resume_all", m: "menu", "?": "keys", g: "refresh" } as const;

/** Moves through the unfinished tasks and says what is wanted with them. */
export function reduceOpening(state: Cursor, key: KeyPress, ids: readonly string[]): KeyStep<Cursor, OpeningOutcome> {
  const cursor = moveCursor(keptCursor(state, ids), key, ids.length);
  const taskId = ids[cursor];
  const next = { cursor, at: taskId };
  if (key.name === "escape") return { state: next, outcome: { type: "menu" } };
  const anywhere = meaning(general, key.text);
  if (anywhere !== undefined) return { state: next, outcome: { type: anywhere } };
  const type = key.name === "enter" ? "open" : meaning(verbKeys, key.text);
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

/** In which order the title counts tasks: what needs its user comes first. */
const words = ["needs input", "interrupted", "paused", "out of reach", "pending", "running"];

/** The first line: how the tasks stand, so that what runs is not taken for what waits. */
export function openingTitle(tasks: readonly BoardTask[], ready: boolean): string {
  if (tasks.length === 0) return ready ? "No unfinished tasks." : "Looking for your tasks…";
  const wordOf = (task: BoardTask) =>
    isAway(task) ? "out of reach" : statusWord(task.info.status, task.info.interrupted);
  const counts = words.flatMap((word) => {
    const count = tasks.filter((task) => wordOf(task) === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${tasks.length} of your tasks: ${counts.join(", ")}.`;
}
