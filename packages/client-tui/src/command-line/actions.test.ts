import { defaultStateFile } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { newBoardTask } from "../model/board-task.js";
import type { TaskBoard } from "../model/task-board.js";
import type { BoardOutcome } from "../ui/board/board-view-state.js";
import type { DetailOutcome } from "../ui/detail/detail-state.js";
import { shellCommand } from "../ui/detail/detail-view.js";
import type { Screen } from "../ui/navigation.js";
import type { OpeningOutcome } from "../ui/opening/opening-state.js";
import type { ServersOutcome } from "../ui/servers/servers.js";
import { type CommandName, commandNames, commandTable, optionTable } from "./command-table.js";
import { commandHelp, helpText } from "./help-text.js";
import { commandWords, parseCommandLine } from "./parse-command-line.js";

/** What moves on the screen and does nothing elsewhere. */
type OnlyOnScreen =
  | "retryNow"
  | "runExtra"
  | "store"
  | "notice"
  | "dismiss"
  | "attempt"
  | "close"
  | "back"
  | "keys"
  | "menu"
  | "page"
  | "confirm"
  | "palette"
  | "opening";

/** Everything that can be done on the screens: what they show, and what their keys ask for. */
type Action = Exclude<
  | keyof TaskBoard
  | Screen["name"]
  | OpeningOutcome["type"]
  | BoardOutcome["type"]
  | DetailOutcome
  | ServersOutcome["type"],
  OnlyOnScreen
>;

/** The same as a subcommand. A new action of the screens does not compile before it stands here. */
const asSubcommand: Readonly<Record<Action, string>> = {
  refresh: "tasks",
  follow: "watch ID",
  open: "show ID",
  look: "show ID",
  detail: "show ID",
  copy: "watch ID",
  board: "tasks --all",
  call: "call TOOL key=value",
  restart: "call TOOL --again",
  copy_arguments: "show ID",
  copy_id: "tasks",
  tools: "tools",
  pause: "pause ID",
  resume: "resume ID",
  resume_all: "resume --all",
  resumeAll: "resume --all",
  cancel: "cancel ID",
  delete: "delete ID",
  answer: "answer ID KEY key=value",
  stats: "stats",
  session: "session",
  servers: "servers",
  add_server: "servers add http://127.0.0.1:8001/mcp",
  add: "servers add http://127.0.0.1:8001/mcp",
  import_servers: "servers import",
  import: "servers import claude-desktop/files",
  test: "servers test NAME",
  remove: "servers remove NAME",
  login: "servers login NAME",
  sign_in: "servers login NAME",
};

describe("every action of the screens", () => {
  it.each(Object.entries(asSubcommand))("has a subcommand: %s", (_action, line) => {
    const [command, ...words] = commandWords(line);
    const parsed = parseCommandLine([command, ...words], {});
    expect([parsed.command, parsed.words]).toEqual([command, words.filter((word) => !word.startsWith("--"))]);
  });

  it("is copied as a line that this program understands", () => {
    const lines = [
      fakeTask("a"),
      fakeTask("b", { status: "completed" }),
      fakeTask("c", { server: 'node "it\'s a server.js" --x' }),
    ].map((task) => commandWords(shellCommand(newBoardTask(task), defaultStateFile())));
    expect(lines.map(([program]) => program)).toEqual(["resumable-mcp", "resumable-mcp", "resumable-mcp"]);
    const parsed = lines.map(([, ...words]) => parseCommandLine(words, {}));
    expect(parsed.map(({ command, words, servers, server }) => [command, words, servers[0] ?? server])).toEqual([
      ["watch", ["a"], { url: "http://127.0.0.1:8001/mcp" }],
      ["result", ["b"], { url: "http://127.0.0.1:8001/mcp" }],
      ["watch", ["c"], 'node "it\'s a server.js" --x'],
    ]);
  });

  it("is copied with the state file that knows its tasks, where that is another than the usual one", () => {
    const [, ...words] = commandWords(shellCommand(newBoardTask(fakeTask("a")), "/my files/state.json"));
    expect(parseCommandLine(words, {}).state).toBe("/my files/state.json");
  });
});

describe("help", () => {
  it("tells of every subcommand and every option", () => {
    const missing = [
      ...commandNames.filter((name) => !helpText.includes(`\n  ${name} `)),
      ...Object.keys(optionTable).filter((name) => !new RegExp(`--(?:no-)?${name}\\b`).test(helpText)),
    ];
    expect(missing).toEqual([]);
  });

  it("tells of one command what it takes: its words, its own options and an example of most", () => {
    expect(commandHelp("wait").split("\n").slice(0, 9)).toEqual([
      "resumable-mcp wait ID",
      "  wait for the end and print the result",
      "",
      "Examples",
      "  resumable-mcp wait ID --timeout 60s",
      "",
      "Its options",
      "  --wait                  keep waiting while the task is paused or asks a question",
      "  --on-interrupt ACTION   what Ctrl-C does to the task: detach (default), pause or cancel",
    ]);
    const missing = commandNames.filter((name) => {
      const text = commandHelp(name);
      return (commandTable[name].options ?? []).some((option) => !text.includes(`--${option}`));
    });
    expect(missing).toEqual([]);
  });

  it("says what an option does for that command alone", () => {
    const rowsOf = (name: CommandName) =>
      commandHelp(name)
        .replaceAll(/\n {3,}/g, " ")
        .split("\n");
    const rowOf = (name: CommandName, option: string) => rowsOf(name).find((row) => row.includes(`  --${option}`));
    expect([rowOf("call", "new"), rowOf("call", "again"), rowOf("tasks", "all "), rowOf("pause", "all ")]).toEqual([
      "  --new                   a new run even if the same call is unfinished",
      "  --again                 reuse the last arguments; key=value replaces one of them",
      "  --all                   list all",
      "  --all                   every task that the command fits",
    ]);
    expect([rowOf("show", "token-file"), rowOf("servers", "token-file"), rowOf("servers", "name")]).toEqual([
      "  --token-file FILE       a file with the bearer token",
      "  --token-file FILE       a file with the bearer token; servers add: - is stdin",
      "  --name NAME             servers add: a short name for it",
    ]);
  });

  it("shows examples that this program understands", () => {
    const examples = commandNames.flatMap((name) => [...commandHelp(name).matchAll(/^ {2}(resumable-mcp \S.*)$/gm)]);
    const lines = examples.map(([, line = ""]) => commandWords(line).slice(1));
    expect(lines.length).toBeGreaterThan(10);
    for (const words of lines) expect(parseCommandLine(words, {}).command).toBe(words[0]);
  });

  it("gives every option to a command, or to all of them", () => {
    const everywhere = [
      "url",
      "stdio",
      "server",
      "token",
      "token-file",
      "state",
      "client-id",
      "timeout",
      "json",
      "help",
      "version",
      "screen-reader",
      "mouse",
      "theme",
    ];
    const given = new Set([...everywhere, ...commandNames.flatMap((name) => [...(commandTable[name].options ?? [])])]);
    expect([...given].toSorted()).toEqual(Object.keys(optionTable).toSorted());
  });
});
