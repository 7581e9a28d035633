import { ownSubcommands, type Subcommand, taskSubcommands } from "./subcommands.js";

/** A program of another package, and its command line. */
export interface ProgramCall {
  readonly kind: "program";
  readonly package: string;
  readonly bin: string;
  readonly args: readonly string[];
}

/** What a command line asks for. */
export type Route =
  | ProgramCall
  | { readonly kind: "help" | "no-terminal" | "install-help" | "serve-help" | "version" }
  | { readonly kind: "dev" | "bundle" | "doctor" | "wrap"; readonly args: readonly string[] }
  /** A wrong command line: what is wrong, and the words among which the user may have meant one. */
  | { readonly kind: "wrong"; readonly problem: string; readonly word: string; readonly known: readonly string[] };

const program = (name: string, bin: string) => (args: readonly string[]) =>
  ({ kind: "program", package: `@resumable-mcp/${name}`, bin, args }) as const;

const programs = {
  http: program("server-http", "resumable-mcp-http"),
  stdio: program("server-stdio", "resumable-mcp-stdio"),
  store: program("command-line", "resumable-mcp-store"),
  client: program("client-tui", "resumable-mcp-client"),
};

const namesStore = (word: string) => /^--store(?:=|$)/.test(word);
const asksForHelp = (args: readonly string[]) => args.includes("--help") || args.includes("-h");

/** Decides what runs. Pure. @param isTerminal a person can use screens. */
export function route(words: readonly string[], isTerminal: boolean): Route {
  const [first, ...args] = words;
  if (first === undefined && !isTerminal) return { kind: "no-terminal" };
  if (words.length === 1 && (first === "--help" || first === "-h")) return { kind: "help" };
  if (words.length === 1 && first === "--version") return { kind: "version" };
  // The screens, and the words with which a shell asks the client for completions.
  if (first === undefined || first.startsWith("-") || first.startsWith("__")) return programs.client(words);
  const task = taskSubcommands.find(({ name }) => name === first);
  if (task !== undefined) return args.some(namesStore) ? taskOnStore(task, words) : programs.client(words);
  if (first === "dev" || first === "bundle" || first === "doctor" || first === "wrap") return { kind: first, args };
  if (first === "serve") return serveRoute(args);
  if (first === "store") return storeRoute(args);
  if (first === "install" || first === "uninstall") return hostRoute(first, args);
  if (first === "help") return helpRoute(args, isTerminal);
  const known = [...new Set([...ownSubcommands, ...taskSubcommands].map(({ name }) => name))];
  return { kind: "wrong", problem: `There is no command ${first}.`, word: first, known };
}

/** An answer, or a call, goes through a server: only that has the tool, and checks what is said. */
function taskOnStore({ name, onStore }: Subcommand, words: readonly string[]): Route {
  if (onStore) return programs.store(words);
  const problem = `${name} needs a server, which has the tools. Leave out --store, and name the server: ${name} --url URL.`;
  return { kind: "wrong", problem, word: "", known: [] };
}

function serveRoute([kind, ...args]: readonly string[]): Route {
  if (kind === "http" || kind === "stdio") return programs[kind](args);
  if (asksForHelp([kind ?? ""])) return { kind: "serve-help" };
  const problem =
    kind === undefined ? "Say how to serve: serve http, or serve stdio." : `Serve by http or stdio, not ${kind}.`;
  return { kind: "wrong", problem, word: kind ?? "", known: ["http", "stdio"] };
}

/** What the client has too is written once: as the client's, with `--store`. */
function storeRoute(args: readonly string[]): Route {
  const [word] = args;
  if (!taskSubcommands.some(({ name, onStore }) => onStore && name === word)) return programs.store(args);
  return { kind: "wrong", problem: `Leave out the word store: ${word} --store DIR|URL.`, word: "", known: [] };
}

function hostRoute(name: "install" | "uninstall", args: readonly string[]): Route {
  if (asksForHelp(args)) return { kind: "install-help" };
  const [host, ...rest] = args;
  if (host === undefined || host.startsWith("-"))
    return { kind: "wrong", problem: `Name the host: ${name} claude-desktop ./tools.ts.`, word: "", known: [] };
  return programs.stdio([...rest, `--${name}`, host]);
}

function helpRoute([topic, ...rest]: readonly string[], isTerminal: boolean): Route {
  if (topic === undefined || topic === "help") return { kind: "help" };
  return route([topic, ...rest, "--help"], isTerminal);
}
