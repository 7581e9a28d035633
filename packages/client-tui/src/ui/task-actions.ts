import { canDo, wasInterrupted } from "@resumable-mcp/protocol/display";
import { countText, plainText } from "../display/plain-text.js";
import { progressNumbers } from "../display/progress-line.js";
import { statusMark, statusWord, taskName, toolTitle } from "../display/task-status.js";
import { isReady } from "../model/board-state.js";
import { type BoardTask, isAway, isUnfinished, requestWords } from "../model/board-task.js";
import { type BoardOutcome, boardKeys } from "./board/board-view-state.js";
import { type DetailOutcome, detailKeys } from "./detail/detail-state.js";
import { shellCommand } from "./detail/detail-view.js";
import { keysPage, type ScreenProps } from "./navigation.js";
import { type OpeningOutcome, openingKeys } from "./opening/opening-state.js";
import { fitsNotice } from "./parts/notice.js";

type Verb = "pause" | "resume" | "cancel" | "delete";

/** What connects the screens with tasks. */
export type ActionProps = Pick<ScreenProps, "client" | "board" | "state" | "go" | "copy" | "columns">;

/** Connects what users want with tasks to the board and to the next screen. */
export function taskActions(props: ActionProps) {
  const { board, go } = props;
  const openDetail = (taskId: string) => go({ type: "open", screen: { name: "detail", taskId } });
  const keys = (lines: readonly string[]) => go({ type: "open", screen: keysPage(lines) });
  const steer = (verb: Verb, ids: readonly string[]) => steerTasks(props, verb, ids);
  return {
    onOpening(outcome: OpeningOutcome) {
      if ("taskId" in outcome)
        return outcome.type === "open" ? openDetail(outcome.taskId) : steer(outcome.type, [outcome.taskId]);
      if (outcome.type === "keys") return keys(openingKeys);
      if (outcome.type === "resume_all") return resumeAll(props);
      if (outcome.type === "menu") return go({ type: "replace", screen: { name: "menu" } });
      void board.retryNow();
    },
    onBoard(outcome: BoardOutcome) {
      if ("taskIds" in outcome) return steer(outcome.type, outcome.taskIds);
      if (outcome.type === "open") return openDetail(outcome.taskId);
      if (outcome.type === "answer") return answer(props, outcome.taskId);
      if (outcome.type === "back") return go({ type: "back" });
      if (outcome.type === "keys") return keys(boardKeys);
      if (outcome.type === "resume_all") return resumeAll(props);
      void board.retryNow();
    },
    onDetail(outcome: DetailOutcome, task: BoardTask | undefined) {
      if (outcome === "back" || task === undefined) return go({ type: "back" });
      if (outcome === "keys") return keys(detailKeys);
      if (outcome === "answer") return answer(props, task.info.id);
      if (outcome === "restart") return restart(props, task);
      if (outcome === "copy" || outcome === "copy_arguments" || outcome === "copy_id")
        return copyOf(props, outcome, task);
      if (outcome === "refresh") return void board.retryNow();
      if (outcome === "delete") go({ type: "back" });
      steer(outcome, [task.info.id]);
    },
  };
}

/** Asks for something with those of the tasks for which it makes sense, after a confirmation where it needs one. */
export function steerTasks({ board, state, go }: ActionProps, verb: Verb, ids: readonly string[]): void {
  const known = ids.flatMap((id) => state.tasks.get(id) ?? []);
  const tasks = known.filter((task) => canDo(verb, task));
  if (tasks.length === 0) {
    board.notice("info", refusal(verb, known));
    return;
  }
  const action = () => {
    for (const { info } of tasks) void board[verb](info.id);
  };
  const text = confirmation(verb, tasks);
  const lines = tasks.length === 1 ? [] : tasks.map(nameLine);
  if (text === undefined) action();
  else go({ type: "open", screen: { name: "confirm", text, lines, action } });
}

/** Why nothing happens. */
function refusal(verb: Verb, [task, ...others]: readonly BoardTask[]): string {
  if (task === undefined) return "There is no task here.";
  if (isAway(task)) return `The server of ${taskName(task.info)} is away, so it cannot ${verb} now. g tries again.`;
  if (others.length > 0) return `None of the marked tasks can be asked to ${verb}.`;
  const word = statusWord(task.info.status, task.info.interrupted);
  return `${taskName(task.info)} is ${task.requested ? requestWords[task.requested] : word}: there is nothing to ${verb}.`;
}

/** A task as a confirmation lists it. */
function nameLine({ info }: BoardTask): string {
  const state = `${statusWord(info.status, info.interrupted)} ${progressNumbers(info)}`;
  return plainText(`${statusMark(info.status, info.interrupted)} ${taskName(info)} ${state} ${info.message ?? ""}`);
}

/** Asks whether what was interrupted is to continue; what was paused on purpose stays paused. */
export function resumeAll({ board, state, go }: Pick<ActionProps, "board" | "state" | "go">): void {
  const tasks = [...state.tasks.values()];
  const cut = tasks.filter(wasInterrupted);
  const awaited = isReady(state) ? 0 : state.servers.filter(({ address }) => !state.answered.has(address)).length;
  if (cut.length + awaited === 0) {
    board.notice("info", "No interrupted tasks.");
    return;
  }
  const paused = tasks.filter((task) => task.info.status === "paused" && isUnfinished(task)).length;
  const parts = [
    cut.length === 0 ? "Resume interrupted tasks?" : `Resume ${countText(cut.length, "interrupted task")}?`,
    paused === 0 ? "" : `${countText(paused, "paused task")} ${paused === 1 ? "stays" : "stay"} paused.`,
    awaited === 0 ? "" : awaitedText(awaited),
  ];
  const action = () => {
    board.resumeAll();
    // What ends stays in the list of all tasks.
    go({ type: "visit", screen: { name: "board" } });
  };
  const text = parts.filter((part) => part !== "").join(" ");
  go({ type: "open", screen: { name: "confirm", text, lines: cut.map(nameLine), action } });
}

/** What happens to the tasks of servers that have not answered yet when all interrupted tasks are to be resumed. */
export function awaitedText(servers: number): string {
  return servers === 1
    ? "1 server has not answered yet: its tasks resume when it does."
    : `${servers} servers have not answered yet: their tasks resume when they do.`;
}

/** Opens the form for the question of a task. */
export function answer({ board, state, go }: Pick<ActionProps, "board" | "state" | "go">, taskId: string): void {
  const [question] = state.tasks.get(taskId)?.info.questions ?? [];
  if (question === undefined) board.notice("info", "No open question.");
  else go({ type: "open", screen: { name: "answer", taskId, question } });
}

/** Opens the form of a task's tool with the task's arguments, which a new task gets. */
export function restart({ client, board, go }: ActionProps, { info, journal }: BoardTask): void {
  void board.attempt(async () => {
    const tool = (await client.tools()).find(({ name, server }) => name === info.tool && server === info.server);
    if (tool === undefined) return board.notice("info", `Its server has no tool ${toolTitle(info)} now.`);
    // The list of tasks knows no arguments.
    const { arguments: given } = journal ?? (await client.task(info.id, info.server).journal()) ?? {};
    go({ type: "open", screen: { name: "call", tool, given } });
  });
}

/** What can be copied of a task, and how it is called. */
const copied = { copy: "Shell command", copy_arguments: "Arguments", copy_id: "Id" } as const;

/** Shows the shell command that does the same, or a fact, and copies it; on a screen of its own only where it needs more room. */
export function copyOf(props: ActionProps, what: keyof typeof copied, task: BoardTask): void {
  const { client, board, go, columns } = props;
  const given = task.journal?.arguments;
  const text = {
    copy: shellCommand(task, client.summary().stateFile),
    copy_arguments: given && JSON.stringify(given),
    copy_id: task.info.id,
  }[what];
  if (text === undefined) {
    board.notice("info", "Its server has not said its arguments.");
    return;
  }
  props.copy(text);
  const notice = `In the clipboard, if your terminal allows it: ${text}`;
  const lines = [text, "", "It is also in the clipboard, if your terminal allows it."];
  if (fitsNotice(notice, columns)) board.notice("info", notice);
  else go({ type: "open", screen: { name: "page", title: copied[what], lines } });
}

/** What is asked before something is done to several tasks, or cannot be undone; `undefined` where nothing is. */
export function confirmation(verb: Verb, tasks: readonly BoardTask[]): string | undefined {
  const [only, ...others] = tasks;
  if (only === undefined) return undefined;
  const what = others.length === 0 ? `task ${only.info.id} (${taskName(only.info)})` : `${tasks.length} tasks`;
  const consequence = consequences(verb, tasks);
  if (others.length === 0 && consequence === "") return undefined;
  return `${verb[0]?.toUpperCase()}${verb.slice(1)} ${what}?${consequence}`;
}

function consequences(verb: Verb, tasks: readonly BoardTask[]): string {
  if (verb === "cancel") return " Items are kept, but cancelled tasks cannot be resumed.";
  if (verb !== "delete") return "";
  if (tasks.some((task) => !isUnfinished(task) && task.gone !== true))
    return " Finished tasks are deleted on their server, with their results.";
  return tasks.length === 1
    ? " It stays on its server and is not shown here again."
    : " They stay on their servers and are not shown here again.";
}
