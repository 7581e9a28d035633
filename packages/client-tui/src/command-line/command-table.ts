import type { Option } from "@resumable-mcp/command-line/options";

/** What completes a word of a command line. */
export type WordKind = "task" | "unfinished_task" | "tool" | "server" | "servers_verb" | "host" | "shell" | "command";

/** One subcommand, as help and completion know it. */
export interface CommandEntry {
  /** How its words are written. */
  readonly words?: string;
  readonly summary: string;
  /** The kinds of its words; the last one is for all words that follow. */
  readonly completes?: readonly WordKind[];
  /** Its own options, without those that every command has. */
  readonly options?: readonly OptionName[];
}

/** One option, as the parser, help and completion know it. */
export interface OptionEntry extends Option {
  /** The values that it can have, where they are few. */
  readonly values?: readonly string[];
  readonly completes?: WordKind;
}

const flag = (summary: string) => ({ type: "boolean", default: false, summary }) as const;
const text = (value: string, summary: string) => ({ type: "string", value, summary }) as const;

/** Every status of a task. */
export const taskStatuses = [
  "pending",
  "running",
  "paused",
  "input_required",
  "completed",
  "failed",
  "cancelled",
] as const;

/** What Ctrl-C does to the task that is being watched. */
export const interruptActions = ["detach", "pause", "cancel"] as const;

/** The colours of the user interface; `auto` asks the terminal for its background. */
export const themeNames = ["auto", "dark", "light"] as const;

/** Every option of the program. */
export const optionTable = {
  url: { ...text("URL", "a server over HTTP"), multiple: true },
  stdio: { ...text('"COMMAND"', "a command that starts a server on stdin and stdout"), multiple: true },
  server: { ...text("NAME", "only this one of the known servers, by name or address"), completes: "server" },
  token: text(
    "TOKEN",
    "bearer token; other users of this machine can see it; better RESUMABLE_MCP_TOKEN or --token-file",
  ),
  "token-file": text("FILE", "a file with the bearer token; servers add: - is stdin"),
  state: text("FILE", "the state file, by default one per user"),
  "client-id": text(
    "ID",
    "who calls, by default the state file's ID, and on this machine its user; servers add, login: one registered by hand",
  ),
  json: flag("one JSON object, or one per line, on stdout"),
  quiet: {
    ...flag("call, watch, wait: no progress and no log on stderr, only the result and what needs you"),
    short: "q",
  },
  args: text("JSON", "arguments as a JSON object"),
  again: flag("call: reuse the last arguments; key=value replaces one of them"),
  new: flag("call: a new run even if the same call is unfinished"),
  detach: flag("call: print the task's id and leave"),
  wait: flag("call, watch, wait: keep waiting while the task is paused or asks a question"),
  timeout: text("TIME", "stop waiting after this time, such as 30s; the task continues"),
  "server-wait": text("TIME", "how long a server on this machine may take to start (10s)"),
  "on-interrupt": {
    ...text("ACTION", "what Ctrl-C does to the task: detach (default), pause or cancel"),
    values: interruptActions,
  },
  "from-start": flag("watch: from the task's first event, not from now"),
  all: flag("tasks, tools: list all; pause, resume, cancel, delete: every task that the command fits"),
  "all-owners": flag("tasks: of all owners, for operators; with --store that is so by itself"),
  status: {
    ...text("LIST", "only tasks of these statuses, with commas between them"),
    multiple: true,
    values: taskStatuses,
  },
  tool: { ...text("NAME", "only tasks of this tool"), completes: "tool" },
  decline: flag("answer: decline the question"),
  dismiss: flag("answer: cancel the question"),
  name: text("NAME", "servers add: a short name for it"),
  oauth: flag("servers add: sign in with the server's authorization server"),
  scope: text("SCOPES", "servers add, login: the scopes to sign in with, in quotes, where a tool requires more"),
  "callback-port": text("PORT", "servers add, login: the port of the browser's callback, by default any free one"),
  config: text("FILE", "servers import: a configuration file in another place"),
  "screen-reader": flag("the user interface as sentences and typed commands (also where TERM is dumb)"),
  mouse: {
    type: "boolean",
    negative: true,
    summary: "the user interface without the mouse (also where RESUMABLE_MCP_MOUSE is off)",
  },
  theme: { ...text("NAME", "the colours of the user interface: auto (default), dark or light"), values: themeNames },
  help: { ...flag("this text; with a command: how that one is used"), short: "h" },
  version: flag("the version"),
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** The name of an option, without its dashes. */
export type OptionName = keyof typeof optionTable;

/** Options that every command understands. */
export const commonOptions = [
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
] as const;

/** Of the commands that cannot do without a server. */
const asking = ["server-wait"] as const;
const follow = ["wait", "on-interrupt", "quiet", ...asking] as const;
const several = ["all", "status", "tool", ...asking] as const;

const commands = {
  call: {
    words: "TOOL [key=value …]",
    summary: "call a tool, or join the same call if it is unfinished",
    completes: ["tool"],
    options: ["args", "again", "new", "detach", ...follow],
  },
  tasks: { summary: "list the unfinished tasks (--all: the finished ones too)", options: ["all-owners", ...several] },
  show: {
    words: "ID",
    summary: "one task in detail: arguments, attempts, steps, questions, result",
    completes: ["task"],
    options: asking,
  },
  watch: {
    words: "[ID]",
    summary: "follow one task, or all unfinished ones",
    completes: ["unfinished_task"],
    options: [...follow, "from-start"],
  },
  wait: {
    words: "ID",
    summary: "wait for the end and print the result",
    completes: ["unfinished_task"],
    options: follow,
  },
  pause: { words: "ID…", summary: "pause tasks, or --all", completes: ["unfinished_task"], options: several },
  resume: {
    words: "ID…",
    summary: "resume tasks, or --all that were interrupted (--status paused: those)",
    completes: ["task"],
    options: several,
  },
  cancel: { words: "ID…", summary: "cancel tasks, or --all", completes: ["unfinished_task"], options: several },
  answer: {
    words: "ID [KEY] [key=value …]",
    summary: "answer a task's question (--decline, --dismiss)",
    completes: ["unfinished_task"],
    options: ["args", "decline", "dismiss", ...asking],
  },
  result: { words: "ID", summary: "print the result of a finished task", completes: ["task"], options: asking },
  save: {
    words: "ID [NAME …]",
    summary: "save the files that a task made, all or those named, in this folder",
    completes: ["task"],
    options: asking,
  },
  items: { words: "ID", summary: "print the items of a task, one per line", completes: ["task"], options: asking },
  delete: {
    words: "ID…",
    summary: "delete finished tasks, and take unfinished ones off the list",
    completes: ["task"],
    options: several,
  },
  stats: { summary: "count the tasks by status", options: asking },
  session: { summary: "who this client is and what it remembers", options: asking },
  servers: {
    words: "[add|test|remove|login|import …]",
    summary: "list the servers and whether they answer, or change them",
    completes: ["servers_verb", "server"],
    options: ["name", "oauth", "scope", "callback-port", "config", "all"],
  },
  tools: {
    words: "[NAME]",
    summary: "the tools that can be called, or the arguments of one",
    completes: ["tool"],
    options: ["all", ...asking],
  },
  help: { words: "[COMMAND]", summary: "this text, or how one command is used", completes: ["command"] },
  completion: { words: "bash|zsh|fish", summary: "print the completion script of a shell", completes: ["shell"] },
} as const satisfies Readonly<Record<string, CommandEntry>>;

/** The name of a subcommand. */
export type CommandName = keyof typeof commands;

/** Every subcommand of the program, in the order of the help text. */
export const commandTable: Readonly<Record<CommandName, CommandEntry>> = commands;

/** The names of the subcommands. */
export const commandNames = Object.keys(commandTable) as readonly CommandName[];

/** What can be done with servers. */
export const serversVerbs = ["list", "add", "test", "remove", "login", "import"] as const;

/** One of them. */
export type ServersVerb = (typeof serversVerbs)[number];

/** The most words that a command takes, its own name not counted. */
export function mostWords({ words }: CommandEntry): number {
  if (words === undefined) return 0;
  return words.includes("…") ? Number.POSITIVE_INFINITY : 1;
}
