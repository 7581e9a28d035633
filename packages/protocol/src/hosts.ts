// What the client imports servers from and the servers' program installs into. The only file that uses Node.
import { isAbsolute, join } from "node:path";

/** The hosts whose configuration files this toolkit changes, or knows what to put into. */
export const hostNames = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "codex",
  "gemini-cli",
  "windsurf",
  "zed",
  "goose",
  "opencode",
  "qwen-code",
  "continue",
  "pi",
  "cline",
] as const;

/** One of the hosts. */
export type HostName = (typeof hostNames)[number];

/** For whom a host is configured: for its user, or for the project in the working directory. */
export const hostScopes = ["user", "project"] as const;

/** One of the scopes. */
type HostScope = (typeof hostScopes)[number];

/** What the places of a user's files depend on. */
export interface UserEnvironment {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const ownFolders = {
  data: ["XDG_DATA_HOME", ".local/share"],
  state: ["XDG_STATE_HOME", ".local/state"],
  cache: ["XDG_CACHE_HOME", ".cache"],
} as const;

/** Where our programs keep a user's files. Pure. Source: XDG Base Directory Specification, by which a relative path is ignored. */
export function userFolder(kind: keyof typeof ownFolders, { platform, env, home }: UserEnvironment): string {
  const [variable, usual] = ownFolders[kind];
  const named = env[variable];
  if (named !== undefined && isAbsolute(named)) return named;
  if (platform === "darwin") return join(home, "Library", kind === "cache" ? "Caches" : "Application Support");
  if (platform === "win32") return env.LOCALAPPDATA ?? join(home, "AppData", "Local");
  return join(home, usual);
}

/** What the place of a host's files depends on. */
export interface HostEnvironment extends UserEnvironment {
  readonly workingDirectory: string;
}

const otherKeys: { readonly [host in HostName]?: string } = {
  vscode: "servers",
  codex: "mcp_servers",
  zed: "context_servers",
  goose: "extensions",
  opencode: "mcp",
};

/** The property of a host's file that holds the servers by name. */
export function serversKey(host: HostName): string {
  return otherKeys[host] ?? "mcpServers";
}

/** How a configuration file is written. JSON may have comments and trailing commas; a list holds the servers' names in its entries. */
export type HostFormat = "json" | "toml" | "yaml" | "yaml-list";

/** How the files of a host are written. */
export function hostFormat(host: HostName): HostFormat {
  if (host === "codex") return "toml";
  if (host === "continue") return "yaml-list";
  return host === "goose" ? "yaml" : "json";
}

/**
 * The configuration file of a host, or `undefined` where the host has none of that scope. Pure.
 *
 * Source: the hosts' documentation, as of November 2026; docs/hosts.md names the pages.
 */
export function hostFile(host: HostName, scope: HostScope, environment: HostEnvironment): string | undefined {
  const { env, home, workingDirectory } = environment;
  const isUsers = scope === "user";
  switch (host) {
    case "claude-desktop":
      return isUsers ? join(applicationFolder(environment), "Claude", "claude_desktop_config.json") : undefined;
    case "claude-code":
      return isUsers ? join(env.CLAUDE_CONFIG_DIR || home, ".claude.json") : join(workingDirectory, ".mcp.json");
    case "cursor":
      return join(isUsers ? home : workingDirectory, ".cursor", "mcp.json");
    case "vscode":
      return isUsers ? join(codeUserFolder(environment), "mcp.json") : join(workingDirectory, ".vscode", "mcp.json");
    case "codex":
      return join(isUsers ? env.CODEX_HOME || join(home, ".codex") : join(workingDirectory, ".codex"), "config.toml");
    case "gemini-cli":
      return join(isUsers ? home : workingDirectory, ".gemini", "settings.json");
    case "windsurf":
      return isUsers ? join(home, ".codeium", "windsurf", "mcp_config.json") : undefined;
    case "zed":
      return isUsers ? join(zedFolder(environment), "settings.json") : undefined;
    case "goose":
      return isUsers ? join(gooseFolder(environment), "config.yaml") : undefined;
    case "opencode":
      return join(
        isUsers ? join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode") : workingDirectory,
        "opencode.json",
      );
    case "qwen-code":
      return join(isUsers ? home : workingDirectory, ".qwen", "settings.json");
    case "continue":
      return isUsers ? join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "config.yaml") : undefined;
    case "pi":
      return isUsers
        ? join(env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"), "mcp.json")
        : join(workingDirectory, ".pi", "mcp.json");
    case "cline":
      return isUsers ? clineFile(environment) : undefined;
  }
}

/** All configuration files of a host, that of the project first. Pure. */
export function hostFiles(host: HostName, environment: HostEnvironment): readonly string[] {
  return (["project", "user"] as const).flatMap((scope) => hostFile(host, scope, environment) ?? []);
}

function codeUserFolder(environment: HostEnvironment): string {
  const { VSCODE_PORTABLE: portable } = environment.env;
  return portable ? join(portable, "user-data", "User") : join(applicationFolder(environment), "Code", "User");
}

/** `XDG_CONFIG_HOME` counts on Linux alone. */
function zedFolder({ platform, env, home }: HostEnvironment): string {
  if (platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), "Zed");
  return join((platform === "linux" && env.XDG_CONFIG_HOME) || join(home, ".config"), "zed");
}

function gooseFolder({ platform, env, home }: HostEnvironment): string {
  if (platform !== "win32") return join(env.XDG_CONFIG_HOME || join(home, ".config"), "goose");
  return join(env.APPDATA || join(home, "AppData", "Roaming"), "Block", "goose", "config");
}

function clineFile({ env, home }: HostEnvironment): string {
  const data = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
  return env.CLINE_MCP_SETTINGS_PATH || join(data, "settings", "cline_mcp_settings.json");
}

/** Where programs with windows keep a user's settings. */
function applicationFolder({ platform, env, home }: HostEnvironment): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA || join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}

/**
 * Splits a command line into words as a shell does, without running one: quotes group, and a backslash outside single
 * quotes takes the next character as it is. `undefined` for an empty command and for an open quote. Pure.
 */
export function splitCommand(command: string): [program: string, ...args: string[]] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < command.length; index++) {
    const letter = command.charAt(index);
    if (letter === quote) quote = "";
    else if (quote === "" && (letter === '"' || letter === "'")) [quote, word] = [letter, word ?? ""];
    else if (letter === "\\" && quote !== "'" && index + 1 < command.length)
      word = (word ?? "") + command.charAt(++index);
    else if (quote === "" && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (word !== undefined) words.push(word);
  const [program, ...args] = words;
  return quote !== "" || program === undefined ? undefined : [program, ...args];
}
