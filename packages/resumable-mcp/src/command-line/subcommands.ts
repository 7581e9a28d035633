/** One subcommand, as help and the search for misspelt ones know it. */
export interface Subcommand {
  readonly name: string;
  /** How its words are written. */
  readonly words: string;
  readonly summary: string;
  /** With `--store` it acts on a store, for operators. */
  readonly onStore?: true;
}

/** The subcommands for authors and operators of tools. */
export const ownSubcommands: readonly Subcommand[] = [
  { name: "dev", words: "MODULE [OPTIONS]", summary: "serve over HTTP, and reload when a file changes" },
  { name: "serve", words: "http MODULE [OPTIONS]", summary: "serve over HTTP" },
  { name: "serve", words: "stdio MODULE [OPTIONS]", summary: "serve a host that starts its servers" },
  {
    name: "wrap",
    words: "[http] [OPTIONS] -- COMMAND",
    summary: "put any MCP server, in any language, behind durable tasks",
  },
  { name: "install", words: "HOST MODULE [OPTIONS]", summary: "write a server into the configuration of a host" },
  { name: "uninstall", words: "HOST MODULE [OPTIONS]", summary: "remove it again" },
  { name: "bundle", words: "MODULE [OPTIONS]", summary: "pack a server for a double click in Claude Desktop (.mcpb)" },
  { name: "doctor", words: "[MODULE] [OPTIONS]", summary: "say what is wrong here, and what to do" },
  { name: "store", words: "COMMAND [OPTIONS]", summary: "check and repair a store, move its tasks, ban users" },
  { name: "help", words: "[COMMAND]", summary: "this text, or that of a command" },
];

/** The subcommands of the terminal client: they act on tasks by way of their servers; some of them also on a store. */
export const taskSubcommands: readonly Subcommand[] = [
  { name: "call", words: "TOOL [key=value …]", summary: "call a tool, or join the same call if it is unfinished" },
  { name: "tasks", words: "", summary: "list the unfinished tasks", onStore: true },
  { name: "show", words: "ID", summary: "one task in detail", onStore: true },
  { name: "watch", words: "[ID]", summary: "follow one task, or all unfinished ones" },
  { name: "wait", words: "ID", summary: "wait for the end and print the result" },
  { name: "pause", words: "ID…", summary: "pause tasks", onStore: true },
  { name: "resume", words: "ID…", summary: "resume tasks", onStore: true },
  { name: "cancel", words: "ID…", summary: "cancel tasks", onStore: true },
  { name: "answer", words: "ID [KEY] [key=value …]", summary: "answer a task's question" },
  { name: "result", words: "ID", summary: "print the result of a finished task" },
  { name: "save", words: "ID [NAME …]", summary: "save the files that a task made, in this folder" },
  { name: "items", words: "ID", summary: "print the items of a task", onStore: true },
  { name: "delete", words: "ID…", summary: "delete finished tasks" },
  { name: "stats", words: "", summary: "count the tasks by status", onStore: true },
  { name: "session", words: "", summary: "who this client is and what it remembers" },
  { name: "servers", words: "[add|test|remove|login|import …]", summary: "list or change the servers" },
  { name: "tools", words: "[NAME]", summary: "the tools that can be called, or the arguments of one" },
  { name: "completion", words: "bash|zsh|fish", summary: "print the completion script of a shell" },
];

const column = 34;

function rows(subcommands: readonly Subcommand[]): string {
  const line = ({ name, words, summary }: Subcommand) => `  ${`${name} ${words}`.padEnd(column - 1)} ${summary}`;
  return subcommands.map(line).join("\n");
}

/** What `--help` prints. */
export const helpText = `resumable-mcp: MCP tools that survive crashes.

Usage: resumable-mcp COMMAND [OPTIONS]     without a command, in a terminal: the screens of your tasks

Tools and stores
${rows(ownSubcommands)}

Tasks, with --url URL, --stdio "COMMAND", or the servers that were added
${rows(taskSubcommands)}

${taskSubcommands.flatMap(({ name, onStore }) => (onStore ? [name] : [])).join(", ")}: with --store DIR|URL those of all owners of a store

resumable-mcp help COMMAND lists the options of a command. A tools module is JavaScript or TypeScript, and exports an array of
tools, or what defineServer returns.
`;

/** What `serve --help` prints. */
export const serveHelp = `Usage: resumable-mcp serve http MODULE [OPTIONS]     over HTTP, for any number of clients
       resumable-mcp serve stdio MODULE [OPTIONS]    for a host that starts its servers

resumable-mcp serve http --help and resumable-mcp serve stdio --help list the options.
`;

/** What `help install` prints. */
export const installHelp = `Usage: resumable-mcp install HOST MODULE [--yes] [--name NAME] [--scope user|project] [--config FILE]
       resumable-mcp uninstall HOST MODULE

Writes a server into the configuration of a host, after showing the change; the old file is kept. HOST is claude-desktop,
claude-code, cursor, vscode, codex, gemini-cli, windsurf, zed, goose, opencode, qwen-code, continue, whose list is shown only, pi or
cline. All options of "resumable-mcp serve stdio" are allowed: the host starts the server with
them.
`;
