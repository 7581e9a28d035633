import type { OpenStore } from "../../open-store.js";
import { openReadOnly, withOpenStore } from "../open-folder.js";
import { cleanCommand, type RequestKind, signalCommand } from "./change-commands.js";
import type { CommandOptions, CommandResult, Console } from "./command.js";
import { checkCommand, repairCommand } from "./fsck-commands.js";
import { listCommand, showCommand, statsCommand } from "./read-commands.js";
import { exportCommand, importCommand } from "./transfer-commands.js";

/** Runs one command. @returns `undefined` when it was called in a way that it cannot be. */
export type Command = (
  options: CommandOptions,
  subjects: readonly string[],
  console: Console,
) => Promise<CommandResult> | undefined;

const reads =
  (run: (store: OpenStore, options: CommandOptions) => Promise<CommandResult>): Command =>
  async (options) =>
    run(openReadOnly(options.store), options);

const signals =
  (request: RequestKind): Command =>
  ({ store: directory }, [taskId]) =>
    taskId === undefined ? undefined : withOpenStore(directory, (store) => signalCommand(store, taskId, request));

/** All commands, by name. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["check", reads(checkCommand)],
  ["stats", reads(statsCommand)],
  ["list", reads(listCommand)],
  [
    "show",
    (options, [taskId]) =>
      taskId === undefined ? undefined : showCommand(openReadOnly(options.store), taskId, options),
  ],
  ["pause", signals("pause")],
  ["resume", signals("resume")],
  ["cancel", signals("cancel")],
  [
    "export",
    async (options, taskIds, console) => exportCommand(openReadOnly(options.store), options, taskIds, console),
  ],
  [
    "import",
    ({ store: directory }, [path], console) =>
      path === undefined ? undefined : withOpenStore(directory, (store) => importCommand(store, path, console), true),
  ],
  [
    "clean",
    (options) => {
      const { "older-than": age, "dry-run": isDryRun, apply, store } = options;
      return age === undefined ? undefined : cleanCommand(openReadOnly(store), age, apply && !isDryRun);
    },
  ],
  ["repair", reads((store, options) => repairCommand(store, options.apply && !options["dry-run"]))],
]);
