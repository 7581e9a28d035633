import { isResumableError } from "@resumable-mcp/core";
import type { OpenStore } from "../open-store.js";
import { checkStore } from "./check-store.js";
import { type CommandOptions, type CommandResult, parseCommand } from "./command.js";
import { listCommand } from "./list-command.js";
import { openReadOnly } from "./open-read-only.js";
import { showCommand } from "./show-command.js";
import { statsCommand } from "./stats-command.js";

const usage = `resumable-mcp-store <command> [--store DIR] [--json]

  check         reads every task and says what is damaged; exit code 1 if anything is
  stats         counts tasks by status and tool, and the bytes of all files
  list          lists tasks, newest first   [--owner OWNER] [--status STATUS] [--limit N] [--cursor CURSOR]
  show ID       shows one task              [--events] [--items]

Nothing is changed. DIR is .resumable-mcp unless told otherwise. Exit codes: 0, 1 (damage, or the task is not there), 2 (usage).`;

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Runs one command of the store's command line. @returns the exit code. */
export async function runCommand(args: readonly string[], output: Output): Promise<number> {
  const parsed = parseOrExplain(args, output);
  if (parsed === undefined) return 2;
  const [name = "", subject] = parsed.positionals;
  if (parsed.values.help) {
    output.out(usage);
    return 0;
  }
  const command = commandFor(name, subject, parsed.values);
  if (command === undefined) {
    output.error(usage);
    return 2;
  }
  try {
    const result = await command(openReadOnly(parsed.values.store));
    output.out(parsed.values.json ? JSON.stringify(result.json, null, 2) : result.text);
    return result.ok ? 0 : 1;
  } catch (error) {
    report(error, parsed.values.json, output);
    return 1;
  }
}

function parseOrExplain(args: readonly string[], output: Output): ReturnType<typeof parseCommand> | undefined {
  try {
    return parseCommand(args);
  } catch (error) {
    output.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

function commandFor(
  name: string,
  subject: string | undefined,
  options: CommandOptions,
): ((store: OpenStore) => Promise<CommandResult>) | undefined {
  if (name === "check") return checkStore;
  if (name === "stats") return statsCommand;
  if (name === "list") return (store) => listCommand(store, options);
  if (name === "show" && subject !== undefined) return (store) => showCommand(store, subject, options);
  return undefined;
}

function report(error: unknown, json: boolean, output: Output): void {
  const code = isResumableError(error) ? error.code : "UNEXPECTED";
  const message = error instanceof Error ? error.message : String(error);
  if (json) output.out(JSON.stringify({ error: { code, message } }, null, 2));
  else output.error(`${code}: ${message}`);
}
