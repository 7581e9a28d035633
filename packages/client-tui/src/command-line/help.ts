import { type CommandEntry, commandTable, type OptionEntry, optionTable } from "./command-table.js";

const wordsColumn = 34;
const optionColumn = 26;

function rows(entries: readonly (readonly [left: string, summary: string])[], column: number): string {
  const line = ([left, summary]: readonly [string, string]) =>
    left.length < column ? `  ${left.padEnd(column)}${summary}` : `  ${left}\n  ${" ".repeat(column)}${summary}`;
  return entries.map(line).join("\n");
}

const commands = Object.entries<CommandEntry>(commandTable).map(
  ([name, { words, summary }]) => [`${name} ${words}`.trimEnd(), summary] as const,
);
const options = Object.entries<OptionEntry>(optionTable).map(
  ([name, { value, summary }]) => [`--${name}${value === undefined ? "" : ` ${value}`}`, summary] as const,
);

/** What `--help` prints. */
export const helpText = `resumable-mcp: call MCP tools whose tasks survive crashes, and find them again.

Usage: resumable-mcp [COMMAND] [OPTIONS]     without a command, in a terminal: the user interface

Commands
${rows(commands, wordsColumn)}

Servers
  servers add URL                   a server over HTTP (--name, --token-env, --token-stdin, --oauth)
  servers add --stdio "COMMAND"     a server that is started
  servers test [NAME]               ask one server, or all, what they can do
  servers remove NAME               forget a server, its session and its tokens
  servers login NAME                sign in with its authorization server
  servers import [HOST[/NAME] …]    take servers over from claude-desktop, claude-code, cursor or vscode;
                                    without words: show what there is

Options
${rows(options, optionColumn)}

Exit codes
  0 done · 1 the tool failed or the server refused · 2 wrong command line · 3 no server answers · 4 no such task or tool
  5 paused · 6 waits for an answer · 7 not finished yet · 8 cancelled · 9 unusable state file
  129 SIGHUP · 130 Ctrl-C · 143 SIGTERM
`;
