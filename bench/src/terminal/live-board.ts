import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openClient } from "@resumable-mcp/client";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { built } from "../workers/run-isolated.js";
import type { ServersMessage, ServersOrder } from "./live-servers.js";
import { openTerminal, type PseudoTerminal } from "./pseudo-terminal.js";

/** Tasks of one owner that one server runs at a time. */
const tasksEach = 16;

/** The real program, as it is published. */
export const terminalProgram = join(
  dirname(createRequire(import.meta.url).resolve("@resumable-mcp/client-tui/package.json")),
  "dist/cli.js",
);

/** The list of tasks, in a terminal, with tasks of real servers that never stop moving. */
export interface TaskBoard {
  readonly terminal: PseudoTerminal;
  /** How many events the servers have committed so far. */
  events(): Promise<number>;
  close(): Promise<void>;
}

/** Starts servers and tasks, opens the program and goes to the list. */
export async function openTaskBoard(order: ServersOrder): Promise<TaskBoard> {
  const folder = await temporaryFolder();
  const servers = fork(built("terminal/live-servers.js"), [JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const answer = async (): Promise<ServersMessage> => (await once(servers, "message"))[0];
  const first = await answer();
  if (!("urls" in first)) throw new Error("The servers said nothing of where they are.");
  const stateFile = join(folder.directory, "state.json");
  await startTasks(first.urls, stateFile);
  const words = first.urls.flatMap((url) => ["--url", url]);
  const terminal = openTerminal(terminalProgram, [...words, "--state", stateFile]);
  await terminal.shows(new RegExp(`${order.servers * tasksEach} of your tasks:`));
  terminal.press("2");
  await terminal.shows(/Tasks 1-\d+ of/);
  return {
    terminal,
    async events() {
      servers.send("events");
      const message = await answer();
      return "events" in message ? message.events : 0;
    },
    async close() {
      await terminal.close();
      servers.kill("SIGKILL");
      await folder.remove();
    },
  };
}

async function startTasks(urls: readonly string[], stateFile: string): Promise<void> {
  const client = await openClient({ servers: urls.map((url) => ({ url })), stateFile });
  for (const server of urls) {
    const numbers = Array.from({ length: tasksEach }, (_, number) => number);
    await Promise.all(numbers.map((number) => client.call("tick", { number }, { server, detached: true })));
  }
  await client.close();
}
