import { type Client, isFinal, openClient, type ServerConfig } from "@resumable-mcp/client";
import { type Instance, render } from "ink";
import type { OnInterrupt } from "./command-line/parse-command-line.js";
import { createTaskBoard, type TaskBoard } from "./model/task-board.js";
import { createTheme } from "./theme/theme.js";
import { ThemeContext } from "./theme/theme-context.js";
import { App } from "./ui/app.js";
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

const maxFps = 15;
const refreshMs = 5_000;
const enterScreen = "\u001b[?1049h";
const leaveScreen = "\u001b[?25h\u001b[?1049l";

/**
 * Opens the user interface and resolves to the exit code when the user leaves.
 *
 * The terminal is left as it was found, also on SIGTERM and SIGHUP. Tasks go on on their servers.
 *
 * @example
 * process.exit(await runTerminalUi({ servers: [{ url: "http://127.0.0.1:8001/mcp" }] }));
 */
export async function runTerminalUi(options: RunTerminalUiOptions = {}): Promise<number> {
  const client = await openClient({
    ...(options.servers === undefined ? {} : { servers: options.servers }),
    ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
  });
  const board = createTaskBoard(client, { clock: Date.now });
  const code = await showScreens(client, board, options);
  const running = [...board.store.current.tasks.values()].filter(({ info }) => !isFinal(info.status));
  await onLeave(client, board, code === 130 ? (options.onInterrupt ?? "detach") : "detach");
  board.close();
  await client.close();
  if (running.length > 0 && code !== 143) process.stdout.write(farewell(running.length));
  return code;
}

async function showScreens(client: Client, board: TaskBoard, options: RunTerminalUiOptions): Promise<number> {
  let code = 0;
  let instance: Instance | undefined;
  const leave = (with_: number) => {
    code = with_;
    instance?.unmount();
  };
  const onSignal = () => leave(143);
  process.once("SIGTERM", onSignal).once("SIGHUP", onSignal);
  // Whatever ends the process, the terminal is given back.
  const restore = () => void process.stdout.write(leaveScreen);
  process.once("exit", restore);
  process.stdout.write(enterScreen);
  const refresh = setInterval(() => void board.refresh(), refreshMs);
  try {
    instance = render(
      <ThemeContext value={createTheme({ colors: process.env.NO_COLOR === undefined && process.env.TERM !== "dumb" })}>
        <App
          client={client}
          board={board}
          extraActions={options.extraActions ?? []}
          clock={Date.now}
          onExit={(reason) => leave(reason === "quit" ? 0 : 130)}
        />
      </ThemeContext>,
      { maxFps, exitOnCtrlC: false, patchConsole: false },
    );
    await instance.waitUntilExit();
  } finally {
    clearInterval(refresh);
    process.off("exit", restore).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
    restore();
  }
  return code;
}

async function onLeave(client: Client, board: TaskBoard, action: OnInterrupt): Promise<void> {
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
