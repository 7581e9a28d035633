import { parseArgs } from "node:util";
import type { ServerConfig } from "@resumable-mcp/client";
import { type CommandName, commandNames, type OptionEntry, type OptionName, optionTable } from "./command-table.js";
import { commandWords } from "./command-words.js";
import { UsageError } from "./exit-codes.js";

/** What Ctrl-C does to the task that is being watched. */
export type OnInterrupt = "detach" | "pause" | "cancel";

/** The options of `servers`. */
export interface ServerLineOptions {
  readonly name?: string;
  readonly tokenVariable?: string;
  readonly tokenOnStdin: boolean;
  readonly oauth: boolean;
  readonly clientId?: string;
  readonly callbackPort?: number;
  readonly file?: string;
}

/** A command line, understood. */
export interface CommandLine {
  /** Absent: the terminal UI. */
  readonly command?: CommandName;
  readonly words: readonly string[];
  readonly servers: readonly ServerConfig[];
  /** Only this one of the known servers, by name or address. */
  readonly server?: string;
  readonly state?: string;
  readonly json: boolean;
  readonly detach: boolean;
  readonly wait: boolean;
  readonly resume: boolean;
  readonly again: boolean;
  readonly fromStart: boolean;
  readonly all: boolean;
  readonly timeoutMs?: number;
  readonly args?: string;
  readonly status?: readonly string[];
  readonly tool?: string;
  readonly answer: "accept" | "decline" | "cancel";
  readonly onInterrupt: OnInterrupt;
  readonly serverOptions: ServerLineOptions;
  readonly screenReader: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

type ParseOption<Name extends OptionName> = (typeof optionTable)[Name] extends { readonly value: string }
  ? { readonly type: "string"; readonly multiple: Name extends "url" | "stdio" | "status" ? true : false }
  : { readonly type: "boolean"; readonly default: false };

/** The options for Node's parser: those with a value are strings, of which three may be given several times. */
const options = Object.fromEntries(
  Object.entries<OptionEntry>(optionTable).map(([name, { value }]) => [
    name,
    value === undefined
      ? { type: "boolean", default: false, ...(name === "help" && { short: "h" }) }
      : { type: "string", multiple: ["url", "stdio", "status"].includes(name) },
  ]),
) as { readonly [Name in OptionName]: ParseOption<Name> };

/**
 * Understands a command line.
 *
 * @throws {@link UsageError} with a sentence that says what is wrong.
 */
export function parseCommandLine(words: readonly string[], environment: NodeJS.ProcessEnv): CommandLine {
  const { values, positionals } = parse(words);
  const [name, ...rest] = positionals;
  const command = commandNames.find((known) => known === name);
  if (name !== undefined && command === undefined) {
    throw new UsageError(`There is no command ${name}. There are: ${commandNames.join(", ")}.`);
  }
  const token = values.token ?? environment.RESUMABLE_MCP_TOKEN;
  const urls = (values.url ?? []).map((url) => httpServer(url, token));
  const programs = (values.stdio ?? []).map(stdioServer);
  return {
    words: rest,
    servers: [...urls, ...programs],
    json: values.json,
    detach: values.detach,
    wait: values.wait,
    resume: !values.new,
    again: values.again,
    fromStart: values["from-start"],
    all: values.all,
    answer: values.decline ? "decline" : values.dismiss ? "cancel" : "accept",
    onInterrupt: onInterrupt(values["on-interrupt"] ?? "detach"),
    serverOptions: serverOptions(values),
    screenReader: values["screen-reader"],
    help: values.help,
    version: values.version,
    command,
    server: values.server,
    state: values.state,
    timeoutMs: values.timeout === undefined ? undefined : seconds(values.timeout),
    args: values.args,
    status: values.status?.flatMap((entry) => entry.split(",")),
    tool: values.tool,
  };
}

function serverOptions(values: ReturnType<typeof parse>["values"]): ServerLineOptions {
  const { name, file, "token-env": tokenVariable, "client-id": clientId, "callback-port": port } = values;
  return {
    tokenOnStdin: values["token-stdin"],
    oauth: values.oauth,
    name,
    tokenVariable,
    clientId,
    callbackPort: port === undefined ? undefined : portNumber(port),
    file,
  };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new UsageError(`--callback-port needs a port from 1 to 65535, not "${text}".`);
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message.split(". ")[0]}. --help lists the options.`);
  }
}

/** Makes the configuration of a server over HTTP of a word of the command line. */
export function httpServer(url: string, token: string | undefined): ServerConfig {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is not a valid server URL: give one like http://127.0.0.1:8001/mcp.`);
  }
  return { url, token };
}

function stdioServer(text: string): ServerConfig {
  const [command, ...args] = commandWords(text);
  return { command, args };
}

/** A timer of Node that is longer ends at once. */
const maxTimeoutSeconds = 2_147_483;

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new UsageError(`--timeout needs a number of seconds, not "${text}".`);
  }
  if (value > maxTimeoutSeconds) {
    throw new UsageError(
      `--timeout is at most ${maxTimeoutSeconds} seconds. Leave it out to wait as long as it takes.`,
    );
  }
  return value * 1000;
}

function onInterrupt(text: string): OnInterrupt {
  if (text === "detach" || text === "pause" || text === "cancel") return text;
  throw new UsageError(`--on-interrupt is detach, pause or cancel, not "${text}".`);
}
