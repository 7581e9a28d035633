import { type Client, isFinal } from "@resumable-mcp/client";
import type { TaskStatus } from "@resumable-mcp/protocol";
import { exitCodes } from "./command-line/exit-codes.js";
import type { OnInterrupt } from "./command-line/parse-command-line.js";
import { countText } from "./display/plain-text.js";
import { TaskBoard } from "./model/task-board.js";
import { openProgramClient } from "./open-program-client.js";
import type { TerminalScreen } from "./terminal/terminal-screen.js";
import type { ExtraAction, RunTerminalUiOptions } from "./terminal-ui-options.js";

/** Time between two lists of the servers' tasks. */
const refreshMs = 5_000;

/** Opens the client and shows its tasks, on a screen or without one in sentences; resolves to the exit code. */
export async function runUiSession(options: RunTerminalUiOptions, screen?: TerminalScreen): Promise<number> {
  const client = await openProgramClient(options);
  const board = new TaskBoard(client, { clock: Date.now });
  const refresh = setInterval(() => void board.refresh(), refreshMs);
  const ended = show(client, board, options.extraActions ?? [], screen);
  const code = await ended.finally(() => clearInterval(refresh));
  const unfinished = [...board.store.current.tasks.values()].filter(({ info }) => !isFinal(info.status));
  const countOf = (wanted: TaskStatus) => unfinished.filter(({ info: { status } }) => status === wanted).length;
  const [paused, asking] = [countOf("paused"), countOf("input_required")];
  if (code === exitCodes.interrupted) await onInterrupt(board, options.onInterrupt ?? "detach");
  board.close();
  await client.close();
  const unseen = code === exitCodes.terminated || code === exitCodes.hungUp;
  const counts = { moving: unfinished.length - paused - asking, paused, asking };
  if (unfinished.length > 0 && !unseen) process.stdout.write(farewell(counts, fateOf(options, code)));
  return code;
}

/** What becomes of unfinished tasks when the user leaves. */
function fateOf({ serversEnd, onInterrupt: action }: RunTerminalUiOptions, code: number): TaskFate {
  if (code === exitCodes.interrupted && action !== undefined && action !== "detach") return action;
  return serversEnd === true ? "stop" : "detach";
}

async function show(client: Client, board: TaskBoard, actions: readonly ExtraAction[], screen?: TerminalScreen) {
  if (screen === undefined) {
    const { runInSentences } = await import("./screen-reader/run-in-sentences.js");
    return runInSentences(client, board);
  }
  const { showScreens } = await import("./terminal/show-screens.js");
  return showScreens(screen, client, board, actions);
}

async function onInterrupt(board: TaskBoard, action: OnInterrupt): Promise<void> {
  if (action === "detach") return;
  const running = [...board.store.current.tasks.values()].filter(({ info }) => info.status === "running");
  await Promise.all(running.map(({ info }) => board[action](info.id)));
}

/** What becomes of unfinished tasks when the user leaves; `stop`: their server ends, too. */
export type TaskFate = OnInterrupt | "stop";

/** The unfinished tasks that the user leaves: those that continue, those that are paused, and those that need input. */
interface LeftCounts {
  readonly moving: number;
  readonly paused: number;
  readonly asking: number;
}

/** What the user reads of unfinished tasks after the screens. */
export function farewell({ moving, paused, asking }: LeftCounts, fate: TaskFate): string {
  const count = moving + paused + asking;
  const tasks = countText(count, "task");
  const unfinished = `${tasks} ${count === 1 ? "is" : "are"} not finished`;
  const back = "Come back with: resumable-mcp";
  const groups = [
    [moving, "continues without you", "continue without you"],
    [paused, "is paused", "are paused"],
    [asking, "needs input", "need input"],
  ] as const;
  const left = groups
    .filter(([number]) => number > 0)
    .map(([number, one, several], index) => {
      return `${index === 0 ? countText(number, "task") : number} ${number === 1 ? one : several}`;
    })
    .join(", ");
  const texts: Readonly<Record<TaskFate, string>> = {
    detach: `${left}. ${back}`,
    stop: `${unfinished}. The server stops now; start it again to continue from the last checkpoint.`,
    pause: `${unfinished}; running tasks pause at their next checkpoint. ${back}`,
    cancel: `${tasks} ${count === 1 ? "was" : "were"} not finished; running tasks were cancelled.`,
  };
  return `${texts[fate]}\n`;
}
