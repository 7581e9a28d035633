import { type BoardTask, isUnfinished } from "../model/board-task.js";
import { type BoardOutcome, boardKeys } from "./board/board-view-state.js";
import { type DetailOutcome, detailKeys } from "./detail/detail-state.js";
import { shellCommand } from "./detail/detail-view.js";
import { keysPage, type ScreenProps } from "./navigation.js";
import { type OpeningOutcome, openingKeys } from "./opening/opening-state.js";

type Verb = "pause" | "resume" | "cancel" | "forget";

/** Connects what users want with tasks to the board and to the next screen. */
export function taskActions(props: Pick<ScreenProps, "client" | "board" | "state" | "go" | "copy">) {
  const { board, state, go } = props;
  const openDetail = (taskId: string) => go({ type: "open", screen: { name: "detail", taskId } });
  const keys = (lines: readonly string[]) => go({ type: "open", screen: keysPage(lines) });
  const steer = (verb: Verb, ids: readonly string[]) => {
    const tasks = ids.flatMap((id) => state.tasks.get(id) ?? []);
    const action = () => {
      for (const id of ids) void board[verb](id);
    };
    const text = confirmation(verb, tasks);
    if (text === undefined) action();
    else go({ type: "open", screen: { name: "confirm", text, action } });
  };
  return {
    onOpening(outcome: OpeningOutcome) {
      if (outcome.type === "keys") return keys(openingKeys);
      if (outcome.type === "cancel" || outcome.type === "forget") return steer(outcome.type, [outcome.taskId]);
      go({ type: "replace", screen: { name: "menu" } });
      if (outcome.type === "watch") openDetail(outcome.taskId);
      if (outcome.type === "resume") void board.resume(outcome.taskId);
      if (outcome.type === "resume_all") resumeAll(board);
      if (outcome.type === "resume_all" || outcome.type === "resume") go({ type: "open", screen: { name: "board" } });
    },
    onBoard(outcome: BoardOutcome) {
      if ("taskIds" in outcome) return steer(outcome.type, outcome.taskIds);
      if (outcome.type === "open") return openDetail(outcome.taskId);
      if (outcome.type === "back") return go({ type: "back" });
      if (outcome.type === "keys") return keys(boardKeys);
      void board.refresh();
    },
    onDetail(outcome: DetailOutcome, task: BoardTask | undefined) {
      if (outcome === "back" || task === undefined) return go({ type: "back" });
      if (outcome === "keys") return keys(detailKeys);
      if (outcome === "answer") return answer(props, task);
      if (outcome === "copy") return copy(props, task);
      if (outcome === "forget") go({ type: "back" });
      steer(outcome, [task.info.id]);
    },
  };
}

function resumeAll(board: ScreenProps["board"]): void {
  const { awaitedServers } = board.resumeAll();
  if (awaitedServers > 0) board.notice("info", awaitedText(awaitedServers));
}

/** What happens to the tasks of servers that have not answered yet when all tasks are to be resumed. */
export function awaitedText(servers: number): string {
  return servers === 1
    ? "1 server has not answered yet: its tasks resume when it does."
    : `${servers} servers have not answered yet: their tasks resume when they do.`;
}

function answer({ board, go }: Pick<ScreenProps, "board" | "go">, { info }: BoardTask): void {
  const [question] = info.questions;
  if (question === undefined) board.notice("info", "No open question.");
  else go({ type: "open", screen: { name: "answer", taskId: info.id, question } });
}

function copy({ client, copy: put, go }: Pick<ScreenProps, "client" | "copy" | "go">, task: BoardTask): void {
  const command = shellCommand(task, client.summary().stateFile);
  put(command);
  const lines = [command, "", "It is also in the clipboard, if your terminal allows it."];
  go({ type: "open", screen: { name: "page", title: "Shell command", lines } });
}

/** What is asked before something is done to several tasks, or cannot be undone; `undefined` where nothing is. */
export function confirmation(verb: Verb, tasks: readonly BoardTask[]): string | undefined {
  const [only, ...others] = tasks;
  if (only === undefined) return undefined;
  const what = others.length === 0 ? `task ${only.info.id} (${only.info.tool})` : `${tasks.length} tasks`;
  const consequence = consequences(verb, tasks);
  if (others.length === 0 && consequence === "") return undefined;
  return `${verb[0]?.toUpperCase()}${verb.slice(1)} ${what}?${consequence}`;
}

function consequences(verb: Verb, tasks: readonly BoardTask[]): string {
  if (verb === "cancel") return " Items are kept, but cancelled tasks cannot be resumed.";
  if (verb !== "forget") return "";
  if (tasks.some((task) => !isUnfinished(task) && task.gone !== true))
    return " Finished tasks are deleted on their server, with their results.";
  return tasks.length === 1
    ? " It stays on its server and is not shown here again."
    : " They stay on their servers and are not shown here again.";
}
