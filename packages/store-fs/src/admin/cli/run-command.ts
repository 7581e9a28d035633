import { isResumableError } from "@resumable-mcp/core";
import { openReadOnly, withOpenStore } from "../open-folder.js";
import { checkCommand, cleanCommand, type RequestKind, repairCommand, signalCommand } from "./change-commands.js";
import { type CommandOptions, type CommandResult, type Console, parseCommand } from "./command.js";
import { listCommand, showCommand, statsCommand } from "./read-commands.js";
import { exportCommand, importCommand } from "./transfer-commands.js";

const usage = `resumable-mcp-store <command> [--store DIR] [--json]
resumable-mcp-store --version

  check         reads everything and says what is wrong
  stats         counts tasks by status and tool, and the bytes of all files
  list          lists tasks, newest first   [--owner OWNER] [--status STATUS] [--limit N] [--cursor CURSOR]
  show ID       shows one task              [--events] [--items]
  pause ID      asks the process that runs the task, now or later, to pause it
  resume ID     ends a pause, or a wait
  cancel ID     ends a task
  export [ID …] writes tasks, unfinished ones too, as lines   [--to FILE, else standard output] [--owner] [--status]
  import FILE   brings such tasks into the store; - is standard input
  clean --older-than AGE
                says how many tasks finished longer ago, as in 7d or 12h; deletes them with --apply
  repair        says what it would repair (also with --dry-run); repairs it with --apply

check, stats, list and show change nothing. All can be used while a server runs. repair removes nothing that it
cannot read: that goes to quarantine/, with a report. The default DIR is .resumable-mcp.

Exit codes: 0 all is well, or done; 1 damage was found, or something was refused or is not there; 2 usage.`;

/** Runs one command. @returns `undefined` when it was called in a way that it cannot be. */
type Command = (
  options: CommandOptions,
  subjects: readonly string[],
  console: Console,
) => Promise<CommandResult> | undefined;

const signals =
  (request: RequestKind): Command =>
  ({ store }, [taskId]) =>
    taskId === undefined ? undefined : withOpenStore(store, (open) => signalCommand(open, taskId, request));

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["check", async ({ store }) => checkCommand(openReadOnly(store))],
  ["stats", async ({ store }) => statsCommand(openReadOnly(store))],
  ["list", async (options) => listCommand(openReadOnly(options.store), options)],
  ["show", (options, [id]) => (id === undefined ? undefined : showCommand(openReadOnly(options.store), id, options))],
  ["pause", signals("pause")],
  ["resume", signals("resume")],
  ["cancel", signals("cancel")],
  ["export", async (options, ids, console) => exportCommand(openReadOnly(options.store), options, ids, console)],
  [
    "import",
    ({ store }, [path], console) =>
      path === undefined ? undefined : withOpenStore(store, (open) => importCommand(open, path, console), true),
  ],
  [
    "clean",
    ({ "older-than": age, "dry-run": isDryRun, apply, store }) =>
      age === undefined ? undefined : cleanCommand(openReadOnly(store), age, apply && !isDryRun),
  ],
  ["repair", async ({ store, apply, "dry-run": isDryRun }) => repairCommand(openReadOnly(store), apply && !isDryRun)],
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
  try {
    const running = commands.get(name)?.(parsed.values, subjects, console);
    if (running === undefined) {
      console.error(usage);
      return 2;
    }
    return show(await running, parsed.values.json, console);
  } catch (error) {
    report(error, parsed.values.json, console);
    return 1;
  }
}

function parseOrExplain(args: readonly string[], console: Console): ReturnType<typeof parseCommand> | undefined {
  try {
    return parseCommand(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

function show({ json, text, ok, isAside }: CommandResult, asJson: boolean, console: Console): number {
  (isAside ? console.error : console.out)(asJson ? JSON.stringify(json, null, 2) : text);
  return ok ? 0 : 1;
}

function report(error: unknown, json: boolean, console: Console): void {
  const code = isResumableError(error) ? error.code : "UNEXPECTED";
  const message = error instanceof Error ? error.message : String(error);
  const path = isResumableError(error) && "path" in error.details ? { path: error.details.path } : {};
  if (json) console.out(JSON.stringify({ error: { code, message, ...path } }, null, 2));
  else console.error([`${code}: ${message}`, ...Object.values(path)].join(" "));
}

/** Replaced by the build and by the test runner. */
declare const RESUMABLE_MCP_VERSION: string;

/** The version of this package, and of all packages that are released with it. */
export const packageVersion = RESUMABLE_MCP_VERSION;
