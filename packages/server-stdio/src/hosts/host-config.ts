import { type HostName, serversKey } from "@resumable-mcp/protocol/hosts";

/** How a host is to start a server: absolute paths, since hosts have another PATH and another working directory. */
export interface ServerStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What a host's configuration has to hold. */
export interface HostEntry {
  /** The property of the file under which servers stand by their names. */
  readonly key: ReturnType<typeof serversKey>;
  readonly name: string;
  readonly entry: { readonly type?: "stdio"; readonly command: string; readonly args: readonly string[] };
}

/** What a host needs to start a server. Source: the hosts' documentation of their configuration files. */
export function hostEntry(host: HostName, { name, command, args }: ServerStart): HostEntry {
  const typed = host === "claude-code" || host === "vscode" ? ({ type: "stdio" } as const) : {};
  return { key: serversKey(host), name, entry: { ...typed, command, args } };
}
