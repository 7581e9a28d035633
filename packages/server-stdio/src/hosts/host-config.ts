import { join } from "node:path";
import type { Environment } from "../data-folder.js";

/** Hosts whose configuration can be printed and changed. */
export const knownHosts = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** One of them. */
export type KnownHost = (typeof knownHosts)[number];

/** For whom a host is configured: for its user, or for the project in the working directory. */
export const scopes = ["user", "project"] as const;

/** One of them. */
export type Scope = (typeof scopes)[number];

/** How a host is to start a server: absolute paths, since hosts have another PATH and another working directory. */
export interface ServerStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What a host's configuration has to hold. */
export interface HostEntry {
  /** The property of the file under which servers stand by their names. */
  readonly key: "mcpServers" | "servers";
  readonly name: string;
  readonly entry: { readonly type?: "stdio"; readonly command: string; readonly args: readonly string[] };
}

/** What a host needs to start a server. Source: the hosts' documentation of their configuration files. */
export function hostEntry(host: KnownHost, { name, command, args }: ServerStart): HostEntry {
  const plain = { command, args };
  const typed = { type: "stdio", ...plain } as const;
  switch (host) {
    case "claude-desktop":
    case "cursor":
      return { key: "mcpServers", name, entry: plain };
    case "claude-code":
      return { key: "mcpServers", name, entry: typed };
    case "vscode":
      return { key: "servers", name, entry: typed };
  }
}

/** Where a host's configuration is, or `undefined` where the host knows none of that scope. Pure. */
export function hostFile(
  host: KnownHost,
  scope: Scope,
  environment: Environment,
  directory: string,
): string | undefined {
  const { env, home } = environment;
  const isUsers = scope === "user";
  switch (host) {
    case "claude-desktop":
      return isUsers ? join(applicationData(environment), "Claude", "claude_desktop_config.json") : undefined;
    case "claude-code":
      return isUsers ? join(env.CLAUDE_CONFIG_DIR || home, ".claude.json") : join(directory, ".mcp.json");
    case "cursor":
      return join(isUsers ? home : directory, ".cursor", "mcp.json");
    case "vscode":
      return isUsers ? join(codeUser(environment), "mcp.json") : join(directory, ".vscode", "mcp.json");
  }
}

function codeUser(environment: Environment): string {
  const { VSCODE_PORTABLE: portable } = environment.env;
  return portable ? join(portable, "user-data", "User") : join(applicationData(environment), "Code", "User");
}

function applicationData({ platform, env, home }: Environment): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA || join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}
