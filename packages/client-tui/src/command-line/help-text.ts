import { helpText as format, row } from "@resumable-mcp/command-line/options";
import {
  type CommandEntry,
  type CommandName,
  commandTable,
  commonOptions,
  type OptionName,
  optionTable,
} from "./command-table.js";

const commandRows = Object.entries(commandTable)
  .map(([name, { words = "", summary }]) => row(`${name} ${words}`.trimEnd(), summary))
  .join("\n");

const optionsOf = (names: readonly OptionName[], command: CommandName) =>
  Object.fromEntries(
    names.map((name) => [name, { ...optionTable[name], summary: summaryFor(command, optionTable[name].summary) }]),
  );

/** What an option does for one command: without the command's name, and without what it does for others alone. */
function summaryFor(command: CommandName, summary: string): string {
  const clauses = summary.split("; ").flatMap((clause) => {
    const [, names, rest = ""] = /^([a-z]+(?: [a-z]+)?(?:, [a-z]+)*): (.*)$/.exec(clause) ?? [];
    if (names === undefined || names.startsWith(`${command} `)) return clause;
    return names.split(", ").includes(command) ? rest : [];
  });
  return clauses.length === 0 ? summary : clauses.join("; ");
}

const serversRows = `  servers add URL                   a server over HTTP (--name, --token-file, --oauth)
  servers add --stdio "COMMAND"     a server that this program starts with a command
  servers test [NAME]               ask one server, or all, what they can do
  servers remove NAME               forget a server, its session and its tokens
  servers login NAME                sign in with its authorization server
  servers import [HOST[/NAME] …]    take servers over from claude-desktop, claude-code, cursor or vscode;
                                    without names: list what can be imported`;

/** The program's name: its own where it was started itself, and not by `resumable-mcp`. */
const isOwn = /resumable-mcp-client$|client-tui[\\/]dist[\\/]cli\.js$/.test(process.argv[1] ?? "");
export const program = isOwn ? "resumable-mcp-client" : "resumable-mcp";

/** What `--help` prints. */
export const helpText = format(
  {
    usage: `${program}: call MCP tools whose tasks survive crashes, and find them again.

Usage: ${program} [COMMAND] [OPTIONS]     without a command, in a terminal: the user interface
       ${program} help COMMAND            how one command is used

Commands
${commandRows}

Servers
${serversRows}`,
    groups: { Options: optionTable },
    after: `Exit codes
  0 done · 1 the tool failed or the server refused · 2 wrong command line · 3 a server does not answer · 4 no such task or tool
  5 paused · 6 needs input · 7 not finished yet · 8 cancelled · 9 unusable state file
  129 SIGHUP · 130 Ctrl-C · 143 SIGTERM`,
  },
  true,
);

/** Lines that show how a command is used. */
const examples: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  call: ["call count_to n=10", "call count_to n=10 --detach", "call count_to --again n=20"],
  tasks: ["tasks --all --tool count_to", "tasks --status paused,failed"],
  watch: ["watch", "watch ID --from-start"],
  wait: ["wait ID --timeout 60s"],
  pause: ["pause --all --tool count_to"],
  resume: ["resume ID", "resume --all --status paused"],
  answer: ["answer ID confirm polite=true", "answer ID --decline"],
  completion: [`eval "$(${program} completion bash)"`],
};

/** What `help COMMAND` and `COMMAND --help` print: how that one command is used. */
export function commandHelp(name: CommandName): string {
  const { words = "", summary, options = [] }: CommandEntry = commandTable[name];
  const shown = (examples[name] ?? []).map((line) => (line.startsWith("eval") ? `  ${line}` : `  ${program} ${line}`));
  const parts = [
    `${program} ${name} ${words}`.trimEnd(),
    `  ${summary}`,
    ...(name === "servers" ? ["", serversRows] : []),
    ...(shown.length === 0 ? [] : ["", "Examples", ...shown]),
  ];
  const groups = {
    "Its options": optionsOf(options, name),
    "Options of every command": optionsOf(commonOptions, name),
  };
  return format({ usage: parts.join("\n"), groups }, true);
}
