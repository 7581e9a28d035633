import { type Client, isFinal, openClient, type ServerConfig } from "@resumable-mcp/client";
import { exitCodes } from "./command-line/exit-code.js";
import type { OnInterrupt } from "./command-line/parse-command-line.js";
import { createTaskBoard, type TaskBoard } from "./model/task-board.js";
import type { ExtraAction } from "./ui/extra-action.js";

/** What the user interface is opened with. */
export interface RunTerminalUiOptions {
  /** By default those of the last time. */
  readonly servers?: readonly ServerConfig[];
  /** By default one file per user. */
  readonly stateFile?: string;
  /** What Ctrl-C does to the tasks that run; by default they go on. */
  readonly onInterrupt?: OnInterrupt;
  /** Added to the menu. */
  readonly extraActions?: readonly ExtraAction[];
}

/**
 * Opens the user interface and resolves to the exit code when the user leaves.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP. Tasks go on on their servers.
 *
 * @example
 * process.exit(await runTerminalUi({ servers: [{ url: "http://127.0.0.1:8001/mcp" }] }));
 */
export async function runTerminalUi(options: RunTerminalUiOptions = {}): Promise<number> {
  prepareEnvironment(process.env);
  const { showScreens } = await import("./show-screens.js");
  const client = await openClient({
    ...(options.servers === undefined ? {} : { servers: options.servers }),
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  });
  const board = createTaskBoard(client, { clock: Date.now });
  const code = await showScreens(client, board, options.extraActions ?? []);
  const running = [...board.store.current.tasks.values()].filter(({ info }) => !isFinal(info.status));
  if (code === exitCodes.interrupted) await onInterrupt(client, board, options.onInterrupt ?? "detach");
  board.close();
  await client.close();
  if (running.length > 0 && code !== exitCodes.terminated) process.stdout.write(farewell(running.length));
  return code;
}

/** Read by the drawing libraries when they are loaded: whoever opens the screens has a terminal and wants them drawn. */
function prepareEnvironment(environment: NodeJS.ProcessEnv): void {
  environment.CI = "false";
  environment.CONTINUOUS_INTEGRATION = "false";
  if (environment.NO_COLOR !== undefined || environment.TERM === "dumb") environment.FORCE_COLOR = "0";
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

function farewell(count: number): string {
  const subject = count === 1 ? "1 task goes on" : `${count} tasks go on`;
  return `${subject} without you. Come back with: resumable-mcp\n`;
}
