import { isResumableError } from "@resumable-mcp/core";
import { harmlessJson, harmlessLines, harmlessText } from "@resumable-mcp/protocol/display";
import { newKeyLine } from "@resumable-mcp/store-encryption";
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
import { type CommandOptions, type CommandResult, type Console, parseCommand } from "./command.js";
import { type OpenedAdmin, openAdmin, openWithKeyring, refuseWithoutKeyring } from "./open-admin.js";
import { namesOwners } from "./quota-rows.js";
import { listCommand, showCommand, statsCommand } from "./read-commands.js";
import { exportCommand, importCommand } from "./transfer-commands.js";
import { assignCommand, versionsCommand } from "./version-commands.js";

const usage = `Usage: resumable-mcp store COMMAND [--store DIR|URL] [--json]     (installed alone: resumable-mcp-store COMMAND)
       resumable-mcp store --version

  check         reads everything and says what is wrong
  stats         counts tasks by status and tool, and the bytes of the store, and says which quotas would refuse new tasks:
                those that servers have by default, or   [--max-store-tasks N] [--max-store-bytes SIZE]
                [--min-free-disk SIZE] [--max-unfinished-per-owner N | OWNER=N]
  list          lists tasks, newest first   [--owner OWNER] [--status STATUS] [--limit N] [--cursor CURSOR]
  show ID       shows one task              [--events] [--items]
  pause ID      asks the process that runs the task, now or later, to pause it
  resume ID     ends a pause, or a wait; with --tool-version V that version continues the task, whatever it declares
  restart ID    lets a task begin again from nothing   [--tool-version V]
  versions      counts unfinished tasks by version, and with --tools MODULE names those that its code would refuse
  cancel ID     ends a task
  export [ID …] writes tasks, unfinished ones too, as lines   [--to FILE, else standard output] [--owner] [--status];
                without an id and an option also sessions and keys, which are secrets
  import FILE   brings them into the store; - is standard input
  migrate       makes the schema of a database, or brings it to this version
  clean --older-than AGE
                says how many tasks finished longer ago, as in 7d or 12h; deletes them with --apply
  repair        says what it would repair in a folder (also with --dry-run); repairs it with --apply
  ban SUBJECT   refuses all requests of a subject of tokens, such as sub:alice, in all servers within seconds, and cancels its tasks
  unban SUBJECT ends that
  bans          lists who is banned
  new-key       prints a new key, as a line of a keyring
  reseal        seals the keys of an encrypted store under the present key of the keyring: after that the others can go

  --store DIR|URL            a folder (.resumable-mcp), or a database such as postgres://user@host:5432/database
  --store-password-file FILE holds the password of the database; else PGPASSWORD, PGPASSFILE or ~/.pgpass count
  --store-schema NAME        schema of the database (resumable_mcp)
  --keyring FILE             keys of an encrypted store; what shows or brings contents needs it

check, stats, list, show and versions change nothing. All can be used while a server runs. repair removes nothing that it
cannot read: that goes to quarantine/, with a report.

Exit codes: 0 all is well, or done; 1 damage was found, or something was refused or is not there; 2 usage.`;

interface Invocation {
  readonly admin: OpenedAdmin;
  readonly options: CommandOptions;
  readonly subjects: readonly string[];
  readonly console: Console;
}

interface Command {
  readonly run: (invocation: Invocation) => Promise<CommandResult>;
  /** Whether the command line lacks what the command needs. */
  readonly isIncomplete?: (options: CommandOptions, subjects: readonly string[]) => boolean;
  /** It shows or writes contents: of an encrypted store, that needs the keyring. */
  readonly needsContents?: boolean | ((options: CommandOptions) => boolean);
}

const needsSubject = (_options: CommandOptions, [first]: readonly string[]) => first === undefined;

const signals = (request: RequestKind): Command => ({
  isIncomplete: needsSubject,
  run: ({ admin, subjects: [taskId = ""] }) => admin.write((writing) => signalCommand(writing, taskId, request)),
});

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["check", { run: ({ admin }) => checkCommand(admin) }],
  ["stats", { needsContents: namesOwners, run: ({ admin, options }) => statsCommand(admin, options) }],
  ["list", { needsContents: true, run: ({ admin, options }) => listCommand(admin, options) }],
  [
    "show",
    {
      isIncomplete: needsSubject,
      needsContents: true,
      run: ({ admin, options, subjects: [id = ""] }) => showCommand(admin, id, options),
    },
  ],
  ["pause", signals("pause")],
  [
    "resume",
    {
      isIncomplete: needsSubject,
      needsContents: true,
      run: ({ admin, subjects: [id = ""], options: { "tool-version": toolVersion } }) =>
        admin.write((writing) =>
          toolVersion === undefined
            ? signalCommand(writing, id, "resume")
            : assignCommand(writing, id, { toolVersion, fromState: true }),
        ),
    },
  ],
  [
    "restart",
    {
      isIncomplete: needsSubject,
      needsContents: true,
      run: ({ admin, subjects: [id = ""], options: { "tool-version": toolVersion } }) =>
        admin.write((writing) => assignCommand(writing, id, { toolVersion, fromState: false })),
    },
  ],
  ["versions", { needsContents: true, run: ({ admin, options }) => versionsCommand(admin, options.tools) }],
  ["cancel", signals("cancel")],
  [
    "export",
    {
      needsContents: true,
      run: ({ admin, options, subjects, console }) => exportCommand(admin, options, subjects, console),
    },
  ],
  [
    "import",
    {
      isIncomplete: needsSubject,
      run: ({ admin, subjects: [path = ""], console }) =>
        admin.write(async (writing) => {
          if (!admin.hasKeyring) await refuseWithoutKeyring(writing);
          return importCommand(writing, path, console);
        }, true),
    },
  ],
  [
    "ban",
    {
      isIncomplete: needsSubject,
      needsContents: true,
      run: ({ admin, subjects: [subject = ""] }) => admin.write((writing) => banCommand(writing, subject)),
    },
  ],
  [
    "unban",
    {
      isIncomplete: needsSubject,
      needsContents: true,
      run: ({ admin, subjects: [subject = ""] }) => admin.write((writing) => unbanCommand(writing, subject)),
    },
  ],
  ["bans", { needsContents: true, run: ({ admin }) => bansCommand(admin) }],
  ["reseal", { run: ({ admin }) => resealCommand(admin) }],
  ["migrate", { run: ({ admin }) => migrateCommand(admin) }],
  [
    "clean",
    {
      isIncomplete: (options) => options["older-than"] === undefined,
      run: ({ admin, options: { "older-than": age = "", "dry-run": isDryRun, apply } }) =>
        cleanCommand(admin, age, apply && !isDryRun),
    },
  ],
  ["repair", { run: ({ admin, options: { apply, "dry-run": isDryRun } }) => repairCommand(admin, apply && !isDryRun) }],
]);

/** Runs one command of the store's command line. @returns the exit code. */
export async function runCommand(args: readonly string[], console: Console): Promise<number> {
  const parsed = parseOrExplain(args, console);
  if (parsed === undefined) return 2;
  const [name = "", ...subjects] = parsed.positionals;
  if (parsed.values.help) {
    console.out(usage);
    return 0;
  }
  if (parsed.values.version) {
    console.out(packageVersion);
    return 0;
  }
  if (name === "new-key") {
    console.out(newKeyLine());
    return 0;
  }
  const command = commands.get(name);
  if (command === undefined || command.isIncomplete?.(parsed.values, subjects) === true) {
    console.error(usage);
    return 2;
  }
  try {
    const admin = await openWithKeyring(await openAdmin(parsed.values), parsed.values.keyring);
    try {
      const { needsContents = false } = command;
      const isNeeded = typeof needsContents === "boolean" ? needsContents : needsContents(parsed.values);
      if (isNeeded && !admin.hasKeyring) await refuseWithoutKeyring(admin.reading);
      return show(await command.run({ admin, options: parsed.values, subjects, console }), parsed.values.json, console);
    } finally {
      await admin.close();
    }
  } catch (error) {
    report(error, parsed.values.json, console);
    return isResumableError(error, "INVALID_OPTION") ? 2 : 1;
  }
}

function parseOrExplain(args: readonly string[], console: Console): ReturnType<typeof parseCommand> | undefined {
  try {
    return parseCommand(args);
  } catch (error) {
    console.error(`${harmlessLines(error instanceof Error ? error.message : String(error))}\n\n${usage}`);
    return undefined;
  }
}

/** A task's names come from callers and from other stores. Each stays within its line, and none is a command to the terminal. */
function show({ json, lines, ok, isAside }: CommandResult, asJson: boolean, console: Console): number {
  const text = asJson ? harmlessJson(JSON.stringify(json, null, 2)) : lines.map(harmlessText).join("\n");
  (isAside ? console.error : console.out)(text);
  return ok ? 0 : 1;
}

function report(error: unknown, json: boolean, console: Console): void {
  const code = isResumableError(error) ? error.code : "UNEXPECTED";
  const message = error instanceof Error ? error.message : String(error);
  const path = isResumableError(error) && "path" in error.details ? { path: error.details.path } : {};
  if (json) console.out(harmlessJson(JSON.stringify({ error: { code, message, ...path } }, null, 2)));
  else console.error(harmlessLines([`${code}: ${message}`, ...Object.values(path)].join(" ")));
}

/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

/** The version of this package, and of all packages that are released with it. */
export const packageVersion = RESUMABLE_MCP_VERSION;
