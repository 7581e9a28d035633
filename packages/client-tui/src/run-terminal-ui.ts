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
  /** Sentences and typed commands in place of screens; by default where `TERM` is `dumb` or `INK_SCREEN_READER` is `true`. */
  readonly screenReader?: boolean;
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
  const speaks = options.screenReader ?? wantsSentences(process.env);
  const show = speaks ? await sentences() : await screens(options.extraActions ?? []);
  const client = await openClient({
    ...(options.servers === undefined ? {} : { servers: options.servers }),
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  });
  const board = createTaskBoard(client, { clock: Date.now });
  const code = await show(client, board);
  const running = [...board.store.current.tasks.values()].filter(({ info }) => !isFinal(info.status));
  if (code === exitCodes.interrupted) await onInterrupt(client, board, options.onInterrupt ?? "detach");
  board.close();
  await client.close();
  const ended = code === exitCodes.terminated || code === exitCodes.hungUp;
  if (running.length > 0 && !ended) process.stdout.write(farewell(running.length));
  return code;
}

/** Loaded only when they are drawn. */
async function screens(extraActions: readonly ExtraAction[]) {
  const { showScreens } = await import("./show-screens.js");
  return (client: Client, board: TaskBoard) => showScreens(client, board, extraActions);
}

async function sentences() {
  const { runInSentences } = await import("./spoken/run-in-sentences.js");
  return runInSentences;
}

/** A dumb terminal cannot go back to a line that it has written; a screen reader would read every frame again. */
function wantsSentences({ TERM, INK_SCREEN_READER }: NodeJS.ProcessEnv): boolean {
  return TERM === "dumb" || INK_SCREEN_READER === "true";
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
