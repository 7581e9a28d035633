import type { LiveTask } from "../model/board-state.js";
import type { AppProps } from "./app-props.js";
import type { BoardOutcome } from "./board/board-view-state.js";
import type { DetailOutcome } from "./detail/detail-state.js";
import type { NavigationAction } from "./navigation.js";
import type { OpeningOutcome } from "./opening/opening-state.js";

/** What the screens about tasks do when a key says so. */
export interface TaskActions {
  onOpening(outcome: OpeningOutcome): void;
  onBoard(outcome: BoardOutcome): void;
  onDetail(outcome: DetailOutcome, task: LiveTask | undefined): void;
}

/** Connects what users want with tasks to the board and to the next screen. */
export function useTaskActions(props: {
  readonly board: AppProps["board"];
  readonly unfinished: readonly LiveTask[];
  readonly go: (action: NavigationAction) => void;
}): TaskActions {
  const { board, unfinished, go } = props;
  const confirmCancel = (taskId: string) => {
    const action = () => void board.cancel(taskId);
    go({
      type: "open",
      screen: {
        name: "confirm",
        text: `Cancel task ${taskId}? What it has done is kept, but it cannot go on.`,
        action,
      },
    });
  };
  const openDetail = (taskId: string) => go({ type: "open", screen: { name: "detail", taskId } });
  const answer = ({ info }: LiveTask) => {
    const [question] = info.questions;
    if (question === undefined) board.notice("info", "This task asks nothing.");
    else go({ type: "open", screen: { name: "answer", taskId: info.id, question } });
  };
  return {
    onOpening(outcome) {
      if (outcome.type === "cancel") return confirmCancel(outcome.taskId);
      go({ type: "replace", screen: { name: "menu" } });
      if (outcome.type === "watch") openDetail(outcome.taskId);
      if (outcome.type === "resume") void board.resume(outcome.taskId);
      if (outcome.type !== "resume_all") return;
      for (const { info } of unfinished) void board.resume(info.id);
      go({ type: "open", screen: { name: "board" } });
    },
    onBoard(outcome) {
      if (outcome.type === "back") return go({ type: "back" });
      if (outcome.type === "refresh") return void board.refresh();
      if (outcome.type === "open") return openDetail(outcome.taskId);
      if (outcome.type === "cancel") return confirmCancel(outcome.taskId);
      void board[outcome.type](outcome.taskId);
    },
    onDetail(outcome, task) {
      if (outcome === "back" || task === undefined) return go({ type: "back" });
      if (outcome === "answer") return answer(task);
      if (outcome === "cancel") return confirmCancel(task.info.id);
      void board[outcome](task.info.id);
    },
  };
}
