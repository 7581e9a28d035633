import { parseArgs } from "node:util";
import type { ServerConfig } from "@resumable-mcp/client";
import { UsageError } from "./exit-code.js";
import { splitCommand } from "./split-command.js";

/** The subcommands. */
export const commandNames = [
  "call",
  "tasks",
  "show",
  "watch",
  "wait",
  "pause",
  "resume",
  "cancel",
  "answer",
  "result",
  "stats",
  "session",
  "servers",
  "tools",
  "ping",
] as const;

/** The name of a subcommand. */
export type CommandName = (typeof commandNames)[number];

/** What Ctrl-C does to the task that is being watched. */
export type OnInterrupt = "detach" | "pause" | "cancel";

/** A command line, understood. */
export interface CommandLine {
  /** Absent: the terminal UI. */
  readonly command?: CommandName;
  readonly words: readonly string[];
  readonly servers: readonly ServerConfig[];
  readonly state?: string;
  readonly json: boolean;
  readonly detach: boolean;
  readonly wait: boolean;
  readonly resume: boolean;
  readonly all: boolean;
  readonly timeoutMs?: number;
  readonly args?: string;
  readonly status?: readonly string[];
  readonly tool?: string;
  readonly answer: "accept" | "decline" | "cancel";
  readonly onInterrupt: OnInterrupt;
  readonly help: boolean;
  readonly version: boolean;
}

const options = {
  url: { type: "string", multiple: true },
  stdio: { type: "string", multiple: true },
  token: { type: "string" },
  state: { type: "string" },
  json: { type: "boolean", default: false },
  detach: { type: "boolean", default: false },
  wait: { type: "boolean", default: false },
  new: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  timeout: { type: "string" },
  args: { type: "string" },
  status: { type: "string", multiple: true },
  tool: { type: "string" },
  decline: { type: "boolean", default: false },
  dismiss: { type: "boolean", default: false },
  "on-interrupt": { type: "string", default: "detach" },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

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
    all: values.all,
    answer: values.decline ? "decline" : values.dismiss ? "cancel" : "accept",
    onInterrupt: onInterrupt(values["on-interrupt"]),
    help: values.help,
    version: values.version,
    ...(command === undefined ? {} : { command }),
    ...(values.state === undefined ? {} : { state: values.state }),
    ...(values.timeout === undefined ? {} : { timeoutMs: seconds(values.timeout) }),
    ...(values.args === undefined ? {} : { args: values.args }),
    ...(values.status === undefined ? {} : { status: values.status.flatMap((entry) => entry.split(",")) }),
    ...(values.tool === undefined ? {} : { tool: values.tool }),
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message.split(". ")[0]}. --help lists the options.`);
  }
}

function httpServer(url: string, token: string | undefined): ServerConfig {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is no URL: --url needs one like http://127.0.0.1:8001/mcp.`);
  }
  return { url, ...(token === undefined ? {} : { token }) };
}

function stdioServer(text: string): ServerConfig {
  const [command = "", ...args] = splitCommand(text);
  return { command, args };
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new UsageError(`--timeout needs a number of seconds, not "${text}".`);
  }
  return value * 1000;
}

function onInterrupt(text: string): OnInterrupt {
  if (text === "detach" || text === "pause" || text === "cancel") return text;
  throw new UsageError(`--on-interrupt is detach, pause or cancel, not "${text}".`);
}
