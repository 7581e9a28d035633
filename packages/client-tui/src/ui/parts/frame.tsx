import type { ServerInfo } from "@resumable-mcp/client";
import type { TaskQuestion } from "@resumable-mcp/protocol";
import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText, fitText, plainText, textWidth } from "../../display/plain-text.js";
import { serverLabel, serverWordAfter } from "../../display/server-label.js";
import { taskName } from "../../display/task-status.js";
import { type BoardTask, isUnfinished } from "../../model/board-task.js";
import type { Screen } from "../navigation.js";
import { useTheme } from "../theme.js";

/** The first line: the program's name and how its servers stand. */
export function Header(props: {
  readonly servers: readonly ServerInfo[];
  readonly columns: number;
  /** Since when a connection stands as it stands, in milliseconds since 1970. */
  readonly sinceMs: (server: ServerInfo) => number;
  readonly nowMs: number;
}): ReactNode {
  const { servers, columns, sinceMs, nowMs } = props;
  const standing: Standing = (server) => {
    return `${serverLabel(server)} ${serverWordAfter(server.state, nowMs - sinceMs(server))}`;
  };
  const shown = servers.filter((server) => !isOld(server));
  const text = headerText(shown.length === 0 ? servers : shown, columns, standing);
  return <Text inverse>{fitText(text, columns)}</Text>;
}

/** The user once named its address, and it has not answered this time. */
function isOld({ remembered, name, state }: ServerInfo): boolean {
  return remembered === true && name === undefined && !state.known && /^(waiting|down)$/.test(state.name);
}

/** How a server stands, with its name. */
type Standing = (server: ServerInfo) => string;

/** Every server with how it stands where there is room, else how many stand how; the program's name gives way first. */
function headerText(servers: readonly ServerInfo[], columns: number, standing: Standing): string {
  const each = servers.map(standing).join(" · ");
  const all = ` resumable-mcp · ${each === "" ? "no servers" : each}`;
  if (textWidth(all) <= columns) return all;
  const short = servers.length < 2 ? each : summary(servers, standing);
  const named = ` resumable-mcp · ${short}`;
  return textWidth(named) <= columns ? named : ` ${short}`;
}

function summary(servers: readonly ServerInfo[], standing: Standing): string {
  const live = servers.filter(({ state }) => state.name === "connected").length;
  const troubled = servers.find(({ state }) => state.name === "down" || state.name === "waiting");
  const trouble = troubled === undefined ? "" : ` · ${standing(troubled)}`;
  return `${live} of ${servers.length} servers live${trouble}`;
}

/** A question that waits for the user, and whose it is. */
export interface WaitingQuestion {
  readonly task: BoardTask;
  readonly question: TaskQuestion;
}

/** The questions that wait, without the one that is being answered. */
export function waitingQuestions(tasks: Iterable<BoardTask>, screen: Screen): readonly WaitingQuestion[] {
  const isAnswered = ({ task, question }: WaitingQuestion) =>
    screen.name === "answer" && screen.taskId === task.info.id && screen.question.key === question.key;
  return [...tasks]
    .filter(isUnfinished)
    .flatMap((task) => task.info.questions.map((question) => ({ task, question })))
    .filter((open) => !isAnswered(open));
}

/** Tells wherever the user is that a task asks something. The key stands first: on a narrow screen the question gives way. */
export function QuestionBanner(props: {
  readonly questions: readonly WaitingQuestion[];
  readonly columns: number;
}): ReactNode {
  const { status } = useTheme();
  const [first, ...others] = props.questions;
  if (first === undefined) return null;
  const more = others.length === 0 ? "" : ` (+${others.length} more)`;
  const text = plainText(`? Ctrl-Y answers${more}: ${taskName(first.task.info)} asks: ${first.question.message}`);
  return (
    <Text bold color={status.input_required}>
      {cutText(text, props.columns)}
    </Text>
  );
}

const allKeys = "? all keys";

/** The keys that mean something now, on one line: `Enter resume all · w watch`; `listed` where `?` lists all of them. */
export function KeyBar(props: {
  readonly keys: readonly string[];
  readonly columns: number;
  readonly listed: boolean;
}): ReactNode {
  return <Text dimColor>{keyLine(props.keys, props.columns, props.listed)}</Text>;
}

/** As many keys as fit whole; where some do not, the last words say how to see them all, or else the way back. */
function keyLine(keys: readonly string[], columns: number, listed: boolean): string {
  const line = keys.join(" · ");
  if (textWidth(line) <= columns) return line;
  const [first, last] = listed ? [keys, allKeys] : [keys.slice(0, -1), keys.at(-1) ?? ""];
  const lineOf = (count: number) => [...first.slice(0, count), last].join(" · ");
  const count = first.findLastIndex((_key, index) => textWidth(lineOf(index)) <= columns);
  return cutText(lineOf(Math.max(0, count)), columns);
}
