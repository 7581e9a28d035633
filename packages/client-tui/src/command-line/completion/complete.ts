import { type Client, openClient } from "@resumable-mcp/client";
import { hasControls } from "@resumable-mcp/protocol/display";
import { importableHosts } from "../../hosts/host-servers.js";
import { asObject } from "../../json.js";
import {
  type CommandEntry,
  commandNames,
  commandTable,
  commonOptions,
  type OptionEntry,
  optionTable,
  serversVerbs,
  type WordKind,
} from "../command-table.js";
import { exitCodes, UsageError } from "../exit-codes.js";
import { type CommandLine, parseCommandLine } from "../parse-command-line.js";
import { completionScript, shellNames } from "./completion-script.js";

type Words = readonly string[];

/** Where the words come from that only this user's servers and state file know. */
export interface CompletionSource {
  tasks(unfinished: boolean): Promise<Words>;
  tools(): Promise<Words>;
  servers(): Promise<Words>;
  /** The names of a tool's arguments. */
  argumentsOf(tool: string): Promise<Words>;
}

/** The words that the last one of a command line can become; the program's own name is not among them. */
export async function complete(words: Words, source: CompletionSource): Promise<Words> {
  const current = words.at(-1) ?? "";
  const found = await candidates(words.slice(0, -1), current, source);
  // A shell inserts the word as it is, and shows it first.
  return found.filter((word) => word.startsWith(current) && word !== "" && !hasControls(word)).toSorted();
}

async function candidates(before: Words, current: string, source: CompletionSource): Promise<Words> {
  const option = optionBefore(before);
  if (option !== undefined) return valuesOf(option, source);
  const [command, ...rest] = positionals(before);
  if (command === undefined) return current.startsWith("-") ? optionWords() : commandNames;
  const entry = Object.entries(commandTable).find(([name]) => name === command)?.[1];
  if (entry === undefined) return [];
  if (current.startsWith("-")) return optionWords(entry.options);
  if (command === "call" && rest[0] !== undefined) {
    return (await source.argumentsOf(rest[0])).map((name) => `${name}=`);
  }
  const kind = kindOfWord(command, entry, rest);
  return kind === undefined ? [] : wordsOf(kind, source);
}

function kindOfWord(command: string, { completes = [] }: CommandEntry, rest: Words): WordKind | undefined {
  if (command === "servers" && rest[0] === "import") return "host";
  if (command === "servers" && ["add", "list"].includes(rest[0] ?? "")) return undefined;
  return completes[Math.min(rest.length, completes.length - 1)];
}

function optionBefore(before: Words): OptionEntry | undefined {
  const name = /^--([\w-]+)$/.exec(before.at(-1) ?? "")?.[1];
  const option = Object.entries<OptionEntry>(optionTable).find(([known]) => known === name)?.[1];
  return option?.value === undefined ? undefined : option;
}

/** The words that are neither options nor their values. */
function positionals(words: Words): Words {
  return words.filter((word, index) => !word.startsWith("-") && optionBefore(words.slice(0, index)) === undefined);
}

async function valuesOf(option: OptionEntry, source: CompletionSource): Promise<Words> {
  if (option.values !== undefined) return option.values;
  return option.completes === undefined ? [] : wordsOf(option.completes, source);
}

async function wordsOf(kind: WordKind, source: CompletionSource): Promise<Words> {
  switch (kind) {
    case "task":
      return source.tasks(false);
    case "unfinished_task":
      return source.tasks(true);
    case "tool":
      return source.tools();
    case "server":
      return source.servers();
    default:
      return fixedWords[kind];
  }
}

const fixedWords = {
  servers_verb: serversVerbs,
  host: importableHosts,
  shell: shellNames,
  command: commandNames,
} as const;

function optionWords(own: Words = []): Words {
  return [...commonOptions, ...own].map((name) => `--${name}`);
}

/** What a shell asks when Tab is pressed: prints one word a line. Whatever goes wrong, it stays silent. */
export async function runComplete(words: Words): Promise<number> {
  try {
    for (const word of await complete(words, clientSource(settingsOf(words)))) process.stdout.write(`${word}\n`);
  } catch {
    // A message would stand in the middle of the line that is being typed.
  }
  return exitCodes.ok;
}

/** The servers and the state file that the unfinished line names already. */
function settingsOf(words: Words): CommandLine {
  const named = ["--url", "--stdio", "--state", "--server"];
  const known = words.slice(0, -1).flatMap((word, index) => {
    const value = words[index + 1];
    return named.includes(word) && value !== undefined && index + 1 < words.length - 1 ? [word, value] : [];
  });
  return parseCommandLine(known, process.env);
}

/** `completion bash|zsh|fish`: prints the script that teaches a shell to complete this program. */
export function completionCommand(words: Words): number {
  const shell = shellNames.find((known) => known === words[0]);
  if (shell === undefined) throw new UsageError(`completion needs the name of a shell: ${shellNames.join(", ")}.`);
  process.stdout.write(completionScript(shell));
  return exitCodes.ok;
}

/** Limit of a request that the Tab key waits for. */
const answerTimeoutMs = 2_000;

/** Completes from the state file, and asks the servers only for the names of tools. */
function clientSource({ servers, state: stateFile }: CommandLine): CompletionSource {
  let opened: Promise<Client> | undefined;
  const limits = { requestTimeoutMs: answerTimeoutMs, reconnectAttempts: 0 };
  const client = () => {
    opened ??= openClient({ servers: servers.length === 0 ? undefined : servers, stateFile, limits });
    return opened;
  };
  const tools = async () => (await client()).tools().catch(() => []);
  return {
    async tasks(unfinished) {
      const { activeTasks, completedTasks } = (await client()).summary();
      const ids = activeTasks.map(({ task_id }) => task_id);
      return unfinished ? ids : [...ids, ...completedTasks.map(({ task_id }) => task_id)];
    },
    tools: async () => [...new Set((await tools()).filter(({ control }) => !control).map(({ name }) => name))],
    servers: async () => (await client()).servers().map(({ name, address }) => name ?? address),
    async argumentsOf(name) {
      const tool = (await tools()).find((entry) => entry.name === name);
      return Object.keys(asObject(tool?.inputSchema.properties) ?? {}).filter((key) => key !== "client_id");
    },
  };
}
