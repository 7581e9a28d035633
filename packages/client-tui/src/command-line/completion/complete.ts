import { hostNames } from "@resumable-mcp/protocol/hosts";
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
import { shellNames } from "./completion-script.js";

/** Where the words come from that only this user's servers and state file know. */
export interface CompletionSource {
  tasks(unfinished: boolean): Promise<readonly string[]>;
  tools(): Promise<readonly string[]>;
  servers(): Promise<readonly string[]>;
  /** The names of a tool's arguments. */
  argumentsOf(tool: string): Promise<readonly string[]>;
}

/** The words that the last one of a command line can become; the program's own name is not among them. */
export async function complete(words: readonly string[], source: CompletionSource): Promise<readonly string[]> {
  const current = words.at(-1) ?? "";
  const found = await candidates(words.slice(0, -1), current, source);
  return found.filter((word) => word.startsWith(current) && word !== "").toSorted();
}

async function candidates(
  before: readonly string[],
  current: string,
  source: CompletionSource,
): Promise<readonly string[]> {
  const option = optionBefore(before);
  if (option !== undefined) return valuesOf(option, source);
  const [command, ...rest] = positionals(before);
  if (command === undefined) return current.startsWith("-") ? optionWords([]) : commandNames;
  const entry = entryOf(command);
  if (entry === undefined) return [];
  if (current.startsWith("-")) return optionWords(entry.options);
  if (command === "call" && rest[0] !== undefined) {
    return (await source.argumentsOf(rest[0])).map((name) => `${name}=`);
  }
  const kind = kindOfWord(command, entry, rest);
  return kind === undefined ? [] : wordsOf(kind, source);
}

function kindOfWord(command: string, { completes }: CommandEntry, rest: readonly string[]): WordKind | undefined {
  if (command === "servers" && rest[0] === "import") return "host";
  if (command === "servers" && ["add", "list"].includes(rest[0] ?? "")) return undefined;
  return completes[Math.min(rest.length, completes.length - 1)];
}

function optionBefore(before: readonly string[]): OptionEntry | undefined {
  const name = /^--([\w-]+)$/.exec(before.at(-1) ?? "")?.[1];
  const option = name === undefined ? undefined : optionNamed(name);
  return option?.value === undefined ? undefined : option;
}

/** The words that are neither options nor their values. */
function positionals(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => !word.startsWith("-") && optionBefore(words.slice(0, index)) === undefined);
}

async function valuesOf(option: OptionEntry, source: CompletionSource): Promise<readonly string[]> {
  if (option.values !== undefined) return option.values;
  return option.completes === undefined ? [] : wordsOf(option.completes, source);
}

async function wordsOf(kind: WordKind, source: CompletionSource): Promise<readonly string[]> {
  switch (kind) {
    case "task":
      return source.tasks(false);
    case "unfinished_task":
      return source.tasks(true);
    case "tool":
      return source.tools();
    case "server":
      return source.servers();
    case "servers_verb":
      return serversVerbs;
    case "host":
      return hostNames;
    case "shell":
      return shellNames;
  }
}

function optionWords(own: readonly string[]): readonly string[] {
  return [...commonOptions, ...own].map((name) => `--${name}`);
}

function entryOf(name: string): CommandEntry | undefined {
  return commandNames.some((known) => known === name) ? commandTable[name as keyof typeof commandTable] : undefined;
}

function optionNamed(name: string): OptionEntry | undefined {
  return Object.hasOwn(optionTable, name) ? optionTable[name as keyof typeof optionTable] : undefined;
}
