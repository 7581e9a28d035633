import { isResumableError } from "@resumable-mcp/core";
import { refuseEncrypted } from "@resumable-mcp/core/internal";
import type { StoreWriting } from "@resumable-mcp/core/store";
import { harmlessJson, harmlessLines, harmlessText } from "@resumable-mcp/protocol/display";
import { newKeyLine } from "@resumable-mcp/store-encryption";
import { CommandError } from "../command-error.js";
import { didYouMean } from "../did-you-mean.js";
import { helpText, row } from "../options/help-text.js";
import type { Options } from "../options/option.js";
import { parseFlags } from "../options/parse-flags.js";
import { withVariables } from "../options/settings.js";
import { banCommand, bansCommand, unbanCommand } from "./ban-commands.js";
import {
  checkCommand,
  cleanCommand,
  migrateCommand,
  type RequestKind,
  repairCommand,
  resealCommand,
  signalCommand,
} from "./change-commands.js";
import { type CommandOptions, type CommandResult, type Console, commonOptions, ownOptions } from "./command.js";
import { type OpenedAdmin, openAdmin } from "./open-admin.js";
import { namesOwners } from "./quota-rows.js";
import { itemsCommand, showCommand, statsCommand, tasksCommand } from "./read-commands.js";
import { formatRefused, messageOf, type Refused, refusedFor } from "./refused.js";
import { exportCommand, importCommand } from "./transfer-commands.js";
import { assignCommand, versionsCommand } from "./version-commands.js";

interface Invocation {
  readonly admin: OpenedAdmin;
  readonly options: CommandOptions;
  readonly subjects: readonly string[];
  readonly console: Console;
}

interface Command {
  /** How its words are written: `…` for several, in brackets where there may be none. */
  readonly words?: string;
  /** The terminal client has it too, without a store: `resumable-mcp show ID`. */
  readonly isShared?: true;
  readonly summary: string;
  /** Its own options. */
  readonly options?: readonly (keyof typeof ownOptions)[];
  readonly run: (invocation: Invocation) => Promise<CommandResult>;
  /** It shows or writes contents: of an encrypted store, that needs the keyring. */
  readonly needsContents?: boolean | ((options: CommandOptions) => boolean);
}

type Change = (writing: StoreWriting, taskId: string, options: CommandOptions) => Promise<CommandResult>;

/** Changes the tasks that are named, one after the other. One that cannot be changed hinders no other, and is said. */
const changes = (summary: string, change: Change, more: Partial<Command> = {}): Command => ({
  words: "ID…",
  summary,
  run: ({ admin, subjects, options }) =>
    admin.write(async (writing) => {
      const tasks: unknown[] = [];
      const refused: Refused[] = [];
      const lines: string[] = [];
      for (const taskId of subjects) {
        try {
          const done = await change(writing, taskId, options);
          tasks.push(done.json);
          lines.push(...done.lines);
        } catch (error) {
          const refusal = refusedFor(taskId, error);
          refused.push(refusal);
          lines.push(formatRefused(refusal));
        }
      }
      return { json: { tasks, refused }, lines, ok: refused.length === 0 };
    }),
  ...more,
});
const requests =
  (request: RequestKind): Change =>
  (writing, taskId) =>
    signalCommand(writing, taskId, request);
const assigns = { options: ["tool-version"], needsContents: true } as const;
const shared = { isShared: true } as const;

const commands: Readonly<Record<string, Command>> = {
  tasks: {
    ...shared,
    summary: "lists the unfinished tasks, newest first (--all: the finished ones too)",
    options: ["all", "status", "tool", "owner", "limit", "cursor"],
    needsContents: true,
    run: ({ admin, options }) => tasksCommand(admin, options),
  },
  show: {
    ...shared,
    words: "ID",
    summary: "shows one task",
    needsContents: true,
    run: ({ admin, subjects: [id = ""] }) => showCommand(admin, id),
  },
  items: {
    ...shared,
    words: "ID",
    summary: "prints the items of a task, one per line",
    needsContents: true,
    run: ({ admin, subjects: [id = ""] }) => itemsCommand(admin, id),
  },
  pause: changes("requests a pause from the process that runs the task, now or later", requests("pause"), shared),
  resume: changes(
    "ends a pause, or a wait",
    (writing, taskId, { "tool-version": toolVersion }) =>
      toolVersion === undefined
        ? signalCommand(writing, taskId, "resume")
        : assignCommand(writing, taskId, { toolVersion, fromState: true }),
    { ...shared, ...assigns },
  ),
  cancel: changes("ends a task", requests("cancel"), shared),
  restart: changes(
    "lets a task begin again from nothing",
    (writing, taskId, { "tool-version": toolVersion }) =>
      assignCommand(writing, taskId, { toolVersion, fromState: false }),
    assigns,
  ),
  stats: {
    ...shared,
    summary:
      "counts tasks and bytes, and says which quotas, of servers by default or of options, would refuse new tasks",
    options: ["max-store-tasks", "max-store-bytes", "min-free-disk", "max-unfinished-per-owner"],
    needsContents: namesOwners,
    run: ({ admin, options }) => statsCommand(admin, options),
  },
  versions: {
    words: "[MODULE]",
    summary: "counts unfinished tasks by version, and names those that the code of a tools module would refuse",
    needsContents: true,
    run: ({ admin, subjects: [module] }) => versionsCommand(admin, module),
  },
  clean: {
    summary: "says how many tasks finished longer ago than --older-than AGE; deletes them with --apply",
    options: ["older-than", "apply"],
    run: ({ admin, options: { "older-than": age, apply } }) => cleanCommand(admin, age, apply === true),
  },
  check: { summary: "reads everything and says what is wrong", run: ({ admin }) => checkCommand(admin) },
  repair: {
    summary: "says what it would repair in a folder; repairs it with --apply. What cannot be read goes to quarantine/",
    options: ["apply"],
    run: ({ admin, options: { apply } }) => repairCommand(admin, apply === true),
  },
  export: {
    words: "[ID …]",
    summary: "writes tasks as lines; without an id and an option also sessions and keys, which are secrets",
    options: ["to", "owner", "status"],
    needsContents: true,
    run: ({ admin, options, subjects, console }) => exportCommand(admin, options, subjects, console),
  },
  import: {
    words: "FILE",
    summary: "brings them into the store; - is standard input",
    run: ({ admin, subjects: [path = ""], console }) =>
      admin.write(async (writing) => {
        if (!admin.hasKeyring) await refuseEncrypted(writing);
        return importCommand(writing, path, console);
      }, true),
  },
  ban: {
    words: "SUBJECT",
    summary: "refuses all requests of a subject of tokens, such as sub:alice, in all servers, and cancels its tasks",
    needsContents: true,
    run: ({ admin, subjects: [subject = ""] }) => admin.write((writing) => banCommand(writing, subject)),
  },
  unban: {
    words: "SUBJECT",
    summary: "ends that",
    needsContents: true,
    run: ({ admin, subjects: [subject = ""] }) => admin.write((writing) => unbanCommand(writing, subject)),
  },
  bans: { summary: "lists who is banned", needsContents: true, run: ({ admin }) => bansCommand(admin) },
  migrate: {
    summary: "makes the schema of a database, or brings it to this version",
    run: ({ admin }) => migrateCommand(admin),
  },
  reseal: {
    summary:
      "seals the keys of an encrypted store under the present key of the keyring; other keys can then be deleted",
    run: ({ admin }) => resealCommand(admin),
  },
  "new-key": {
    summary: "prints a new key, as a line of a keyring",
    run: () => Promise.reject(new Error("It needs no store.")),
  },
};

const allOptions = { ...ownOptions, ...commonOptions };

/** Runs one command of the store's command line. @returns the exit code. */
export async function runCommand(args: readonly string[], console: Console): Promise<number> {
  let asJson = args.includes("--json");
  try {
    const { values, positionals } = parseFlags(args, allOptions);
    const given: CommandOptions = values;
    const [name, ...subjects] = positionals;
    const command = name === undefined ? undefined : commands[name];
    if (given.help === true) return say(helpOf(name));
    if (given.version === true) return say(packageVersion);
    if (name === undefined || command === undefined) throw unknownCommand(name);
    checkOptions(name, command, given);
    if (name === "new-key") return say(newKeyLine());
    checkWords(name, command, subjects);
    const options = withVariables(allOptions, given, process.env);
    asJson = options.json === true;
    return await runOn({ name, command, subjects, options, console });
  } catch (error) {
    report(error, asJson, console);
    const isUsage = error instanceof CommandError ? error.exitCode === 2 : isResumableError(error, "INVALID_OPTION");
    return isUsage ? 2 : 1;
  }

  function say(text: string): number {
    console.out(text);
    return 0;
  }
}

function unknownCommand(name: string | undefined): CommandError {
  const names = Object.keys(commands);
  const text = name === undefined ? "Name a command." : `There is no command ${name}.${didYouMean(name, names)}`;
  return new CommandError(`${text} There are: ${names.join(", ")}.`, 2);
}

/** Refuses a word that would have no effect too: a store that is named without --store is not the one that is looked at. */
function checkWords(name: string, { words = "" }: Command, given: readonly string[]): void {
  if (given.length === 0 && words !== "" && !words.startsWith("["))
    throw new CommandError(`Name the ${words}: ${name} ${words}.`, 2);
  const extra = given[words === "" ? 0 : words.includes("…") ? given.length : 1];
  if (extra === undefined) return;
  const takes = words === "" ? "takes no words" : `takes ${words} and no more words`;
  throw new CommandError(`${name} ${takes}: "${extra}" has no meaning. The store is named with --store.`, 2);
}

/** Refuses an option that would have no effect: who gives it expects one. */
function checkOptions(name: string, { options = [] }: Command, given: object): void {
  const known = [...Object.keys(commonOptions), ...options];
  const extra = Object.keys(given).find((option) => !known.includes(option));
  if (extra === undefined) return;
  const near = didYouMean(extra, known, (option) => `--${option}`);
  throw new CommandError(`${name} has no option --${extra} for a store.${near} --help lists its options.`, 2);
}

function helpOf(name: string | undefined): string {
  const command = name === undefined ? undefined : commands[name];
  if (command !== undefined) {
    const own: Options = Object.fromEntries((command.options ?? []).map((option) => [option, ownOptions[option]]));
    const words = `${name} ${command.words ?? ""}`.trimEnd();
    const line = command.isShared ? `${words} --store DIR|URL` : `store ${words}`;
    const usage = `Usage: resumable-mcp ${line} [OPTIONS]\n\n${command.summary}`;
    return helpText({ usage, groups: { "its options": own, "of all commands": commonOptions } }, true).trimEnd();
  }
  const rowsOf = (isShared: boolean) =>
    Object.entries(commands)
      .filter(([, command]) => (command.isShared === true) === isShared)
      .map(([name, { words = "", summary }]) => row(`${name} ${words}`.trimEnd(), summary))
      .join("\n");
  const usage = `Usage: resumable-mcp store COMMAND [OPTIONS]     (installed alone: resumable-mcp-store COMMAND)\n\n${rowsOf(false)}\n\ntasks of all owners: resumable-mcp COMMAND --store DIR|URL, without the word store\n${rowsOf(true)}`;
  const after =
    "COMMAND --help lists the options of a command. All can be used while servers run.\nExit codes: 0 all is well, or done; 1 damage was found, or something was refused or is not there; 2 usage.";
  return helpText({ usage, groups: { options: commonOptions }, after }, true).trimEnd();
}

interface Run extends Omit<Invocation, "admin"> {
  readonly name: string;
  readonly command: Command;
}

async function runOn({ command, subjects, options, console }: Run): Promise<number> {
  const { json = false } = options;
  const admin = await openAdmin(options);
  try {
    const { needsContents = false } = command;
    const isNeeded = typeof needsContents === "boolean" ? needsContents : needsContents(options);
    if (isNeeded && !admin.hasKeyring) await refuseEncrypted(admin.reading);
    return show(await command.run({ admin, options, subjects, console }), json, console);
  } finally {
    await admin.close();
  }
}

/** A task's names come from callers and from other stores. Each stays within its line, and none is a command to the terminal. */
function show({ json, lines, ok, isAside, isJsonLines }: CommandResult, asJson: boolean, console: Console): number {
  const text =
    asJson && !isJsonLines ? harmlessJson(JSON.stringify(json, null, 2)) : lines.map(harmlessText).join("\n");
  if (text !== "") (isAside ? console.error : console.out)(text);
  return ok ? 0 : 1;
}

function report(error: unknown, json: boolean, console: Console): void {
  const code = error instanceof CommandError ? "USAGE" : isResumableError(error) ? error.code : "UNEXPECTED";
  const message = messageOf(error);
  const path = isResumableError(error) && "path" in error.details ? { path: error.details.path } : {};
  if (json) console.out(harmlessJson(JSON.stringify({ error: { code, message, ...path } }, null, 2)));
  else if (code === "USAGE") console.error(harmlessLines(message));
  else console.error(harmlessLines([`${code}: ${message}`, ...Object.values(path)].join(" ")));
}

/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

/** The version of this package, and of all packages that are released with it. */
export const packageVersion = RESUMABLE_MCP_VERSION;
