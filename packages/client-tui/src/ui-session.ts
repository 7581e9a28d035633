import { type Client, isFinal } from "@resumable-mcp/client";
import { exitCodes } from "./command-line/exit-codes.js";
import type { OnInterrupt } from "./command-line/parse-command-line.js";
import { TaskBoard } from "./model/task-board.js";
import { openProgramClient } from "./open-program-client.js";
import type { TerminalScreen } from "./terminal/terminal-screen.js";
import type { RunTerminalUiOptions } from "./terminal-ui-options.js";

/** Opens the client and shows its tasks, on a screen or without one in sentences; resolves to the exit code. */
export async function runUiSession(options: RunTerminalUiOptions, screen?: TerminalScreen): Promise<number> {
  const client = await openProgramClient({ servers: options.servers, stateFile: options.stateFile });
  const board = new TaskBoard(client, { clock: Date.now });
  const code = await show({ client, board }, options, screen);
  const running = [...board.store.current.tasks.values()].filter(({ info }) => !isFinal(info.status));
  if (code === exitCodes.interrupted) await onInterrupt(client, board, options.onInterrupt ?? "detach");
  board.close();
  await client.close();
  const ended = code === exitCodes.terminated || code === exitCodes.hungUp;
  if (running.length > 0 && !ended) process.stdout.write(farewell(running.length, fateOf(options, code)));
  return code;
}

/** What becomes of unfinished tasks when the user leaves. */
function fateOf({ serversEnd, onInterrupt: action }: RunTerminalUiOptions, code: number): TaskFate {
  if (code === exitCodes.interrupted && action !== undefined && action !== "detach") return action;
  return serversEnd === true ? "stop" : "detach";
}

async function show(
  parts: { readonly client: Client; readonly board: TaskBoard },
  { extraActions = [] }: RunTerminalUiOptions,
  screen: TerminalScreen | undefined,
): Promise<number> {
  if (screen === undefined) {
    const { runInSentences } = await import("./screen-reader/run-in-sentences.js");
    return runInSentences(parts.client, parts.board);
  }
  const { showScreens } = await import("./terminal/show-screens.js");
  return showScreens(screen, parts, extraActions);
}

async function onInterrupt(client: Client, board: TaskBoard, action: OnInterrupt): Promise<void> {
  if (action === "detach") return;
  const running = [...board.store.current.tasks.values()].filter(({ info }) => info.status === "running");
  await Promise.all(
    running.map(({ info }) =>
      client
        .task(info.id, info.server)
        [action]()
        .catch(() => undefined),
    ),
  );
}

/** What becomes of unfinished tasks when the user leaves; `stop`: their server ends, too. */
export type TaskFate = OnInterrupt | "stop";

/** What the user reads of so many unfinished tasks after the screens. */
export function farewell(count: number, fate: TaskFate): string {
  const [subject, is] = count === 1 ? ["1 task", "is"] : [`${count} tasks`, "are"];
  switch (fate) {
    case "detach":
      return `${subject} ${count === 1 ? "continues" : "continue"} without you. Come back with: resumable-mcp\n`;
    case "stop":
      return `${subject} ${is} not finished. The server stops now; start it again to continue from the last checkpoint.\n`;
    case "pause":
      return `${subject} ${is} not finished; running tasks pause at their next checkpoint. Come back with: resumable-mcp\n`;
    case "cancel":
      return `${subject} ${count === 1 ? "was" : "were"} not finished; running tasks were cancelled.\n`;
  }
}
