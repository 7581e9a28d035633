/** Hosts whose configuration can be printed. */
export const knownHosts = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** One of them. */
export type KnownHost = (typeof knownHosts)[number];

/** How a host is to start a server: absolute paths, since hosts have another PATH and another working directory. */
export interface ServerStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** The snippet for a host's configuration file, and where that file is. */
export function hostConfig(host: KnownHost, { name, command, args }: ServerStart): { file: string; snippet: object } {
  const plain = { command, args };
  const typed = { type: "stdio", ...plain };
  switch (host) {
    case "claude-desktop":
      return { file: "claude_desktop_config.json", snippet: { mcpServers: { [name]: plain } } };
    case "claude-code":
      return { file: ".mcp.json", snippet: { mcpServers: { [name]: typed } } };
    case "cursor":
      return { file: ".cursor/mcp.json", snippet: { mcpServers: { [name]: plain } } };
    case "vscode":
      return { file: ".vscode/mcp.json", snippet: { servers: { [name]: typed } } };
  }
}
