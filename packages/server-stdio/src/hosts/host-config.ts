import type { QuotaFlags } from "@resumable-mcp/mcp/command-line";
import { type HostName, hostNames, serversKey } from "@resumable-mcp/protocol/hosts";

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

/** The flags that have to do with hosts. */
export const hostFlags = {
  "print-config": { type: "string" },
  install: { type: "string" },
  uninstall: { type: "string" },
  scope: { type: "string" },
  config: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;

/** The flags that say how a server is to be started. */
export interface StartFlags extends QuotaFlags {
  readonly name?: string | undefined;
  readonly store?: string | undefined;
  readonly "recover-after"?: string | undefined;
  readonly handoff?: boolean | undefined;
  readonly command?: string | undefined;
}

/** What they say. */
export interface HostFlags extends StartFlags {
  readonly "print-config"?: string | undefined;
  readonly install?: string | undefined;
  readonly uninstall?: string | undefined;
  readonly scope?: string | undefined;
  readonly config?: string | undefined;
  readonly yes?: boolean | undefined;
}

const hosts = hostNames.join(", ");

/** How they are used. */
export const hostUsage = `  --print-config HOST    print what ${hosts} needs to start this server
  --install HOST         write it into the host's configuration file, after showing the change
  --uninstall HOST       undo that
  --scope user|project   which of the host's files (user)
  --config FILE          another file
  --yes, -y              write without asking`;

/** Whether something is to be done about a host, instead of serving. */
export function isAboutHost(flags: HostFlags): boolean {
  return [flags["print-config"], flags.install, flags.uninstall].some((host) => host !== undefined);
}
