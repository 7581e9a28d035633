import { readFileSync } from "node:fs";
import type { ServerConfig } from "@resumable-mcp/client";
import { didYouMean, parseFlags, readDuration } from "@resumable-mcp/command-line/options";
import { splitCommand } from "@resumable-mcp/protocol/hosts";
import { errorMessage } from "../json.js";
import {
  type CommandEntry,
  type CommandName,
  commandNames,
  commandTable,
  commonOptions,
  interruptActions,
  mostWords,
  optionTable,
  themeNames,
} from "./command-table.js";
import { UsageError } from "./exit-codes.js";

/** What Ctrl-C does to the task that is being watched. */
export type OnInterrupt = (typeof interruptActions)[number];

type Options = ReturnType<typeof parse>["values"];

/** A command line, understood: its options as they were given, and what some of them mean. */
export interface CommandLine
  extends Omit<Options, "server-wait" | "status" | "callback-port" | "on-interrupt" | "theme"> {
  /** Absent: the terminal UI. */
  readonly command?: CommandName;
  readonly words: readonly string[];
  readonly servers: readonly ServerConfig[];
  /** Of the command line, not of the environment. */
  readonly givenToken?: string;
  readonly timeoutMs?: number;
  /** How long a server on this machine may take to start. */
  readonly serverWaitMs: number;
  readonly status?: readonly string[];
  readonly onInterrupt: OnInterrupt;
  readonly callbackPort?: number;
  readonly theme?: (typeof themeNames)[number];
}

/**
 * Understands a command line.
 *
 * @throws {@link UsageError} with a sentence that says what is wrong.
 */
export function parseCommandLine(words: readonly string[], environment: NodeJS.ProcessEnv): CommandLine {
  const { values, positionals, given } = parse(words);
  const { timeout, status, theme, "callback-port": port, "on-interrupt": action = "detach", ...more } = values;
  const { "server-wait": serverWait, ...options } = more;
  const [name, ...rest] = positionals;
  const command = name === undefined ? undefined : commandName(name);
  if (command !== undefined) checkWords(command, rest);
  checkOptions(command, given);
  const file = options["token-file"];
  if (file === stdinName && (command !== "servers" || rest[0] !== "add"))
    throw new UsageError("--token-file - is for servers add. Name a file.");
  const givenToken = options.token ?? (file === stdinName ? undefined : readToken(file));
  const token = givenToken ?? environment.RESUMABLE_MCP_TOKEN;
  return {
    ...options,
    theme: theme === undefined ? undefined : oneOf("theme", theme, themeNames),
    command,
    words: rest,
    givenToken,
    servers: [...(options.url ?? []).map((url) => httpServer(url, token)), ...(options.stdio ?? []).map(stdioServer)],
    timeoutMs: timeout === undefined ? undefined : timeOf("timeout", timeout),
    serverWaitMs: serverWait === undefined ? defaultServerWaitMs : timeOf("server-wait", serverWait),
    status: status?.flatMap((entry) => entry.split(",")),
    onInterrupt: oneOf("on-interrupt", action, interruptActions),
    callbackPort: port === undefined ? undefined : portNumber(port),
  };
}

/**
 * The command of a name.
 *
 * @throws {@link UsageError} with the nearest name, where there is none.
 */
export function commandName(name: string): CommandName {
  const command = commandNames.find((known) => known === name);
  if (command !== undefined) return command;
  const near = didYouMean(name, commandNames);
  throw new UsageError(`There is no command ${name}.${near} There are: ${commandNames.join(", ")}.`);
}

function checkWords(command: CommandName, words: readonly string[]): void {
  const most = mostWords(commandTable[command]);
  const extra = words[most];
  if (extra === undefined) return;
  const takes = most === 0 ? "takes no words" : `takes ${commandTable[command].words} and no more words`;
  throw new UsageError(`${command} ${takes}: "${extra}" has no meaning. See: resumable-mcp help ${command}`);
}

/** Options that open the user interface as they say, and nothing else. */
const screenOptions: readonly string[] = ["screen-reader", "mouse", "theme"];
/** Options that have no need of a command. */
const freeOptions: readonly string[] = [...commonOptions, "version"];

/** Refuses an option that would have no effect: who gives it expects one. */
function checkOptions(command: CommandName | undefined, given: readonly string[]): void {
  // Help says which options there are, whatever else is given.
  if (command === "help" || given.includes("help") || given.includes("version")) return;
  const { options = [] }: CommandEntry = command === undefined ? { summary: "" } : commandTable[command];
  const known = new Set([...freeOptions, ...(command === undefined ? screenOptions : options)]);
  const extra = given.find((name) => !known.has(name));
  if (extra === undefined) return;
  const users = commandNames.filter((name) => (commandTable[name].options as readonly string[])?.includes(extra));
  const use = screenOptions.includes(extra) ? "the user interface, without a command" : users.join(", ");
  const where = command === undefined ? "The user interface" : `The command ${command}`;
  throw new UsageError(`${where} has no option --${extra}; it is an option of ${use}.`);
}

function parse(words: readonly string[]) {
  return orUsageError(() => parseFlags(words, optionTable));
}

function orUsageError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function oneOf<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new UsageError(`--${option} must be ${words.join(", ").replace(/, (?=[^,]*$)/, " or ")}, not "${text}".`);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new UsageError(`--callback-port needs a port from 1 to 65535, not "${text}".`);
}

/** As a file's name it means standard input. */
export const stdinName = "-";

/** The first line of a file: most are written with a newline. */
function readToken(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const [token = ""] = readFileSync(path, "utf8").trim().split(/\r?\n/);
    if (/^[!-~]+$/.test(token)) return token;
  } catch (error) {
    throw new UsageError(`--token-file cannot be read: ${errorMessage(error)}.`);
  }
  throw new UsageError(`--token-file needs a file whose first line is a token, not ${path}.`);
}

/** Makes the configuration of a server over HTTP of a word of the command line. */
export function httpServer(url: string, token?: string): ServerConfig {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { url, token };
  // What stands before the host may be a password.
  const shown = url.replace(/\/\/.*@/, "//");
  throw new UsageError(`"${shown}" is not a valid server URL: give one like http://127.0.0.1:8001/mcp.`);
}

/**
 * Makes the configuration of a server that is started of a command in one text.
 *
 * @throws {@link UsageError} for an empty command or an open quote.
 */
export function stdioServer(text: string): ServerConfig {
  const [command, ...args] = commandWords(text);
  return { command, args };
}

/** The program and the arguments of a command line. */
export function commandWords(text: string): [program: string, ...args: string[]] {
  const words = splitCommand(text);
  if (words !== undefined) return words;
  throw new UsageError(text.trim() === "" ? "--stdio needs a command." : `The command ${text} has an open quote.`);
}

/** A program that was typed, or pasted, with this one loads its code meanwhile. */
const defaultServerWaitMs = 10_000;
/** A timer of Node that is longer ends at once. */
const maxTimeoutMs = 2_147_483_000;

/** The milliseconds that an option gives. */
function timeOf(name: "timeout" | "server-wait", text: string): number {
  return orUsageError(() => readDuration(`--${name}`, text, { minMs: 0, maxMs: maxTimeoutMs }));
}
