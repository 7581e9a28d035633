import { join } from "node:path";

/** The hosts whose configured servers can be taken over. */
export const hostNames = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** One of them. */
export type HostName = (typeof hostNames)[number];

/** The machine and the place that host files are looked for on. */
export interface Environment {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingDirectory: string;
}

/**
 * The configuration files of a host, that of the project first.
 *
 * Source: the hosts' own documentation, as of November 2026: modelcontextprotocol.io/quickstart/user (Claude Desktop),
 * code.claude.com/docs/en/mcp, cursor.com/docs/context/mcp, code.visualstudio.com/docs/copilot/chat/mcp-servers.
 */
export function hostFiles(host: HostName, environment: Environment): readonly string[] {
  const { env, home, workingDirectory } = environment;
  switch (host) {
    case "claude-desktop":
      return [join(applicationFolder(environment), "Claude", "claude_desktop_config.json")];
    case "claude-code":
      return [join(workingDirectory, ".mcp.json"), join(env.CLAUDE_CONFIG_DIR || home, ".claude.json")];
    case "cursor":
      return [join(workingDirectory, ".cursor", "mcp.json"), join(home, ".cursor", "mcp.json")];
    case "vscode":
      return [join(workingDirectory, ".vscode", "mcp.json"), join(codeUserFolder(environment), "mcp.json")];
  }
}

function codeUserFolder(environment: Environment): string {
  const { VSCODE_PORTABLE: portable } = environment.env;
  return portable ? join(portable, "user-data", "User") : join(applicationFolder(environment), "Code", "User");
}

/** Where programs with windows keep a user's settings. */
function applicationFolder({ platform, env, home }: Environment): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA || join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}
